! When did the Nile change? nile FILE, which is examples/data/nile.csv.
!
! Up to each year the mean of the flow so far, from there on that of the rest: running sums from both ends. The level
! changed where two levels fit the years best, that is, where both means together leave the least sum of squares; which
! is where (sum before)^2 / years before + (sum after)^2 / years after is greatest.
program nile
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mmscan
  implicit none
  integer, allocatable :: years(:)
  real(real64), allocatable :: flow(:), before(:), after(:), fit(:)
  integer :: n, k, i

  call read_table(years, flow)
  n = size(flow)
  allocate(before(n), after(n), fit(n))
  before = sum_prefix(flow)
  after = sum_suffix(flow, exclusive=.true.)
  fit = [(before(i)**2 / i + after(i)**2 / max(n - i, 1), i = 1, n)]
  k = maxloc(fit, 1)
  print "('The level changed in ', i0, ': the mean flow was ', i0, ' up to then, and ', i0, ' after it')", &
    years(k), nint(before(k) / k), nint(after(k) / (n - k))
  print "('Years with the highest flow so far:', *(1x, i0))", &
    pack(years, flow > maxval_prefix(flow, exclusive=.true.))

contains

  ! Of lines "year,flow", the first of which has the names.
  subroutine read_table(years, flow)
    integer, allocatable, intent(out) :: years(:)
    real(real64), allocatable, intent(out) :: flow(:)
    character(200) :: path, line
    integer :: unit, status, year
    real(real64) :: value

    call get_command_argument(1, path)
    if (path == "") then
      write (error_unit, "('usage: nile nile.csv')")
      stop 2, quiet=.true.
    end if
    open(newunit=unit, file=path, status="old", action="read", iostat=status)
    if (status /= 0) then
      write (error_unit, "('nile: cannot read ', a)") trim(path)
      stop 1, quiet=.true.
    end if
    allocate(years(0), flow(0))
    read (unit, "(a)", iostat=status) line
    do
      read (unit, *, iostat=status) year, value
      if (status /= 0) exit
      years = [years, year]
      flow = [flow, value]
    end do
    close(unit)
  end subroutine read_table
end program nile
