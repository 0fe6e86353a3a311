! The tests of the module mmscan: test_mmscan [environment | memory | stop WHAT]
!
! Without an argument: all that need nothing else. environment: MMSCAN_ENGINE=nonsense is set. memory: a section is not
! copied. stop WHAT: the program must end with an error (run.sh looks which).
program test_mmscan
  use, intrinsic :: ieee_arithmetic
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int16, int32, int64, real32, real64
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_loc
  use mmscan
  use mmscan_place, only: is_described, place_of, way
  use draw, only: begin, setting
  use random_scans, only: try
  use threads, only: wrong_by_threads
  implicit none
  integer :: passed = 0, failed = 0
  character(20) :: argument

  call get_command_argument(1, argument)
  select case (argument)
  case ("")
    call test_random
    call test_starts
    call test_nan
    call test_least
    call test_wrap
    call test_odd_steps
    call test_empty
    call test_long
    call test_many_segments
    call test_wider
    call test_in_place
    call test_shapes
    call test_overlap
    call check("texts and scans by four threads", wrong_by_threads() == 0)
  case ("environment")
    call test_environment
  case ("memory")
    call test_memory
  case ("stop")
    call stop_by
  end select
  print "(i0, ' passed, ', i0, ' failed, 0 skipped')", passed, failed
  if (failed > 0) error stop

contains

  subroutine check(name, holds)
    character(*), intent(in) :: name
    logical, intent(in) :: holds
    if (holds) then
      passed = passed + 1
    else
      failed = failed + 1
      print *, "FAILED: ", name
    end if
  end subroutine check

  ! MMSCAN_TEST_SEED=N: that one alone.
  subroutine test_random
    integer :: seed, first, last
    logical :: wrong

    first = setting("MMSCAN_TEST_SEED", 1)
    last = max(first, setting("MMSCAN_TEST_COUNT", merge(20, 150, setting("MMSCAN_TEST_QUICK", 0) /= 0)))
    if (setting("MMSCAN_TEST_SEED", 0) /= 0) last = first
    do seed = first, last
      call begin(seed)
      call try(wrong)
      if (wrong) then
        print *, "MMSCAN_TEST_SEED=", seed
        exit
      end if
    end do
    call check("random scans", .not. wrong)
  end subroutine test_random

  ! What functions start from.
  subroutine test_starts
    real(real32) :: x(1) = 3
    integer(int16) :: i(1) = 3
    complex(real64) :: z(1) = (3, 4)
    real(real32) :: infinity
    infinity = ieee_value(infinity, ieee_positive_inf)
    call check("exclusive starts of reals", all([sum_prefix(x, exclusive=.true.), product_suffix(x, exclusive=.true.), &
      maxval_prefix(x, exclusive=.true.), minval_suffix(x, exclusive=.true.)] == &
      [0.0_real32, 1.0_real32, -infinity, infinity]))
    call check("exclusive starts of integers", all([sum_suffix(i, exclusive=.true.), &
      product_prefix(i, exclusive=.true.), &
      maxval_suffix(i, exclusive=.true.), minval_prefix(i, exclusive=.true.)] == [0_int16, 1_int16, -huge(i), huge(i)]))
    call check("exclusive starts of complex numbers", all([sum_prefix(z, exclusive=.true.), &
      product_prefix(z, exclusive=.true.)] == [(0.0_real64, 0.0_real64), (1.0_real64, 0.0_real64)]))
    call check("all masked out", &
      all([maxval_prefix(i, mask=[.false.]), minval_prefix(i, mask=[.false.])] == [-huge(i), huge(i)]))
  end subroutine test_starts

  subroutine test_nan
    real(real64) :: x(4), nan
    nan = ieee_value(nan, ieee_quiet_nan)
    x = [1.0_real64, nan, 5.0_real64, 2.0_real64]
    call check("sum with a NaN", all(ieee_is_nan(sum_prefix(x)) .eqv. [.false., .true., .true., .true.]))
    call check("maximum with a NaN", all(ieee_is_nan(maxval_prefix(x)) .eqv. [.false., .true., .true., .true.]))
    call check("minimum with a NaN, from the end", &
      all(ieee_is_nan(minval_suffix(x)) .eqv. [.true., .true., .false., .false.]))
    call check("NaN masked out", all(maxval_prefix(x, mask=.not. ieee_is_nan(x)) == [1, 1, 5, 5]))
    call check("NaN in another segment", &
      all(ieee_is_nan(sum_prefix(x, segment=[.true., .true., .false., .false.])) .eqv. &
      [.false., .true., .false., .false.]))
  end subroutine test_nan

  ! -huge - 1 is less than what a maximum of nothing is.
  subroutine test_least
    integer(int32) :: least, h
    integer(int32) :: x(5)
    h = huge(h)
    least = not(h)
    x = [least, least, -h, least, 7]
    call check("-huge - 1, inclusive", all(maxval_prefix(x) == [least, least, -h, -h, 7]))
    call check("-huge - 1, exclusive", all(maxval_prefix(x, exclusive=.true.) == [-h, least, least, -h, -h]))
    call check("-huge - 1, masked", &
      all(maxval_prefix(x, mask=[.false., .true., .true., .true., .true.]) == [-h, least, -h, -h, 7]))
    call check("-huge - 1, segments, from the end", all(maxval_suffix(x, exclusive=.true., &
      segment=[.true., .true., .false., .false., .true.]) == [least, -h, least, -h, -h]))
    call check("-huge - 1, minima", all(minval_suffix(x(3:5), exclusive=.true.) == [least, 7, h]))
  end subroutine test_least

  subroutine test_wrap
    integer(int8) :: x(3) = [100_int8, 100_int8, 100_int8]
    call check("integers wrap around", all(sum_prefix(x) == [100_int8, -56_int8, 44_int8]))
  end subroutine test_wrap

  ! Components of a derived type are no multiple of their size apart, or a large one.
  subroutine test_odd_steps
    type :: odd
      complex(real64) :: z = 0
      real(real64) :: w = 0
    end type odd
    type(odd), target :: a(4), b(2, 2)
    type(way) :: by
    real(real32) :: re(4)
    complex(real32) :: c(4)
    integer :: i, stat

    a = [(odd(cmplx(i, -i, real64), 7), i = 1, 4)]
    b = reshape(a, [2, 2])
    call check("24 bytes are no number of elements of 16", &
      .not. is_described(place_of(0, 128, [4_c_intptr_t], c_loc(a(1)%z), [c_loc(a(2)%z)]), by) .and. &
      is_described(place_of(0, 64, [4_c_intptr_t], c_loc(a(1)%w), [c_loc(a(2)%w)]), by))
    call check("24 bytes between numbers of 16", all(real(sum_prefix(a%z)) == [1, 3, 6, 10]))
    call check("the same along a dimension", all(reshape(aimag(sum_suffix(b%z, dim=2)), [4]) == [-4, -6, -3, -4]))
    call check("24 bytes between numbers of 8", all(sum_prefix(a%w) == [7, 14, 21, 28]))
    a%z = product_prefix(a%z)
    call check("into them", a(2)%z == cmplx(0, -4, real64) .and. all(a%w == 7))
    a%z = [1, 1, 1, 1]
    call mmscan_cumsum(a%z, a%z, stat)
    call check("in place", stat == MMSCAN_OK .and. all(real(a%z) == [1, 2, 3, 4]) .and. all(a%w == 7))
    c = [(1, 2), (3, 4), (5, 6), (7, 8)]
    re = sum_prefix(c%im)
    call check("imaginary parts", all(re == [2, 6, 12, 20]))
    call mmscan_cumsum(c%re, c%re)
    call check("real parts in place", all(c == [(1, 2), (4, 4), (9, 6), (16, 8)]))
  end subroutine test_odd_steps

  subroutine test_empty
    real(real32) :: x(0), y(3, 0)
    integer(int64) :: i(0, 2, 2)
    integer :: stat
    call check("no elements", size(sum_prefix(x)) == 0 .and. size(maxval_suffix(x, mask=[logical ::])) == 0)
    call check("no columns", all(shape(sum_prefix(y, dim=1)) == [3, 0]) .and. all(shape(sum_prefix(y)) == [3, 0]))
    call check("no rows", all(shape(maxval_prefix(i, dim=3, exclusive=.true.)) == [0, 2, 2]))
    call mmscan_cumsum(x, x, stat)
    call check("no elements, in place", stat == MMSCAN_OK)
  end subroutine test_empty

  ! Several tiles, and threads if there are any.
  subroutine test_long
    integer, parameter :: n = 3000000
    integer(int64), allocatable :: x(:), y(:), should(:), down(:)
    integer(int64), allocatable :: a(:, :), b(:, :)
    integer :: i
    allocate(x(n), y(n), should(n), down(n), a(3, n / 3), b(2, n / 3))
    do i = 1, n
      x(i) = mod(i * 7919_int64, 1009_int64) - 500
    end do
    should(1) = x(1)
    do i = 2, n
      should(i) = should(i - 1) + x(i)
    end do
    y = sum_prefix(x)
    call check("a long sum", all(y == should))
    down(n) = x(n)
    do i = n - 1, 1, -1
      down(i) = max(down(i + 1), x(i))
    end do
    y = maxval_suffix(x)
    call check("a long maximum from the end", all(y == down))
    call mmscan_cumsum(x, x)
    call check("a long sum in place", all(x == should))
    a = reshape(x, [3, n / 3])
    b = sum_prefix(a(3:1:-2, :), dim=2)
    do i = 2, n / 3
      a(:, i) = a(:, i - 1) + a(:, i)
    end do
    call check("long rows", all(b == a(3:1:-2, :)))
  end subroutine test_long

  ! More logicals than the stack would hold.
  subroutine test_many_segments
    integer, parameter :: n = 4000000
    integer(int32), allocatable :: x(:, :), y(:, :)
    logical, allocatable :: segment(:, :)
    integer :: should(2), wrong, i
    allocate(x(2, n), source=1_int32)
    allocate(segment(2, n), y(2, n))
    do i = 1, n
      segment(:, i) = [mod(i, 4) < 2, mod(i, 10) < 5]
    end do
    y = sum_prefix(x, dim=2, segment=segment)
    wrong = 0
    should = 0
    do i = 1, n
      should = should + 1
      if (i > 1) then
        where (segment(:, i) .neqv. segment(:, i - 1)) should = 1
      end if
      if (any(y(:, i) /= should)) wrong = wrong + 1
    end do
    call check("segments of each row", wrong == 0)
  end subroutine test_many_segments

  subroutine test_wider
    integer(int8) :: i1(4) = [100_int8, 100_int8, -127_int8, 127_int8]
    integer(int16) :: i2(2, 2)
    integer(int32) :: y4(4), i4(2, 2)
    integer(int64) :: y8(4), z8(2, 2)
    real(real32) :: r4(4) = [0.1, 0.2, 0.3, 0.4]
    real(real64) :: d(4), e(2, 2)
    integer :: i
    call mmscan_cumsum(i1, y4)
    call check("int8 to int32", all(y4 == [100, 200, 73, 200]))
    call mmscan_cumsum(i1, y8)
    call check("int8 to int64", all(y8 == [100, 200, 73, 200]))
    call mmscan_cumsum(i1(4:1:-1), d)
    call check("int8 to real64, backwards", all(d == [127, 0, 100, 200]))
    i2 = reshape([30000_int16, 30000_int16, -1_int16, 5_int16], [2, 2])
    call mmscan_cumsum(i2, i4)
    call check("int16 to int32", all(reshape(i4, [4]) == [30000, 60000, 59999, 60004]))
    call mmscan_cumsum(i2(2:1:-1, :), z8)
    call check("int16 to int64, a section", all(reshape(z8, [4]) == [30000, 60000, 60005, 60004]))
    call mmscan_cumsum(i2, e)
    call check("int16 to real64", all(reshape(e, [4]) == [30000, 60000, 59999, 60004]))
    i4 = huge(i4)
    call mmscan_cumsum(i4, z8)
    call check("int32 to int64", all(reshape(z8, [4]) == [(huge(i4) * int(i, int64), i = 1, 4)]))
    call mmscan_cumsum(i4, e)
    call check("int32 to real64", all(reshape(e, [4]) == [(huge(i4) * real(i, real64), i = 1, 4)]))
    call mmscan_cumsum(y8, d)
    call check("int64 to real64", all(d == [100, 300, 373, 573]))
    call mmscan_cumsum(r4, d)
    call check("real32 to real64", abs(d(4) - sum(real(r4, real64))) <= epsilon(d) .and. d(1) == real(r4(1), real64))
  end subroutine test_wider

  subroutine test_in_place
    real(real64), target :: x(2, 3)
    x = 1
    call mmscan_cumsum(x, x)
    call check("in place, in element order", all(reshape(x, [6]) == [1, 2, 3, 4, 5, 6]))
    x = 1
    call mmscan_cumsum(x(:, 1:3:2), x(:, 1:3:2))
    call check("in place, a section", all(reshape(x, [6]) == [1, 2, 1, 1, 3, 4]))
    x = 2
    x = product_prefix(x, dim=2)
    call check("a result over its argument", all(reshape(x, [6]) == [2, 2, 4, 4, 8, 8]))
    x(1, :) = x(1, 3:1:-1)
    x(1, 3:1:-1) = sum_prefix(x(1, :))
    call check("a result over its argument, backwards", all(x(1, :) == [14, 12, 8]))
  end subroutine test_in_place

  subroutine test_shapes
    real(real32) :: x(2, 3), y(3, 2), z(3, 3)
    integer :: stat
    x = 1
    y = 5
    z = 5
    call mmscan_cumsum(x, y, stat)
    call check("another shape of as many elements", stat == MMSCAN_EINVAL .and. all(y == 5))
    call mmscan_cumsum(x, z, stat)
    call check("more elements", stat == MMSCAN_EINVAL .and. all(z == 5))
    call mmscan_cumsum(x(:, 1:0), z(:, 1:0), stat)
    call check("empty ones, too", stat == MMSCAN_EINVAL)
  end subroutine test_shapes

  subroutine test_overlap
    real(real32), target :: x(10), a(5, 5)
    integer :: stat
    x = 1
    a = 1
    call mmscan_cumsum(x(1:9), x(2:10), stat)
    call check("one element further", stat == MMSCAN_EOVERLAP .and. all(x == 1))
    call mmscan_cumsum(x, x(10:1:-1), stat)
    call check("the other way round", stat == MMSCAN_EOVERLAP .and. all(x == 1))
    call mmscan_cumsum(a(1:4, :), a(2:5, :), stat)
    call check("one row further", stat == MMSCAN_EOVERLAP .and. all(a == 1))
    call mmscan_cumsum(x(1:10:2), x(2:10:2), stat)
    call check("between each other's elements", stat == MMSCAN_OK .and. all(x(2:10:2) == [1, 2, 3, 4, 5]) .and. &
      all(x(1:10:2) == 1))
    call check("what a status means", len(mmscan_strerror(MMSCAN_EOVERLAP)) > 0 .and. &
      mmscan_strerror(MMSCAN_EOVERLAP) /= mmscan_strerror(MMSCAN_EINVAL))
  end subroutine test_overlap

  subroutine test_environment
    real(real32) :: x(2, 3), y(2, 3)
    integer :: stat
    x = 1
    y = 5
    call mmscan_cumsum(x, y, stat)
    call check("a wrong variable", stat == MMSCAN_EINVAL .and. all(y == 5))
    call mmscan_cumsum(x(:, 1:3:2), y(:, 1:3:2), stat)
    call check("a wrong variable, of a section", stat == MMSCAN_EINVAL .and. all(y == 5))
    call check("it is named", index(mmscan_strerror(stat), "MMSCAN_ENGINE") > 0)
  end subroutine test_environment

  ! Memory at its highest, in KiB, or 0 where the system does not tell.
  function peak()
    integer :: peak, unit, status
    character(100) :: line
    peak = 0
    open(newunit=unit, file="/proc/self/status", action="read", iostat=status)
    do while (status == 0)
      read (unit, "(a)", iostat=status) line
      if (status == 0 .and. line(:6) == "VmHWM:") read (line(7:index(line, "kB") - 1), *) peak
    end do
    close(unit)
  end function peak

  ! Sections of 32 MiB, and no more than 4 MiB of memory.
  subroutine test_memory
    integer, parameter :: n = 4194304, room = 4096
    real(real64), allocatable, target :: x(:)
    real(real64), allocatable :: a(:, :), y(:), b(:, :) ! no targets, so that results go there at once
    integer :: before
    allocate(x(2 * n), a(2, n), source=1.0_real64)
    allocate(y(n), b(1, n), source=0.0_real64)
    call mmscan_cumsum(x(1:100), x(1:100))
    x = 1
    before = peak()
    call mmscan_cumsum(x(1:2 * n:2), x(1:2 * n:2))
    call check("a section in place is not copied", peak() - before < room)
    call mmscan_cumsum(x(2 * n:1:-2), y)
    call check("nor one that goes backwards", peak() - before < room)
    y = sum_prefix(x(1:2 * n:2))
    call check("nor by a function", peak() - before < room)
    b = sum_prefix(a(2:1:-2, :), dim=2)
    call check("nor of rank 2", peak() - before < room)
    y = maxval_prefix(x(2:2 * n:2), mask=x(2:2 * n:2) > 0)
    call check("a mask takes that of itself", before > 0 .and. peak() - before < room + n * 4 / 1024)
    call check("the results", x(1) == 1 .and. x(2 * n - 1) == n .and. all(x(2:2 * n:2) == 1) .and. b(1, n) == n .and. &
      y(n) == 1)
  end subroutine test_memory

  ! Ends by an error that run.sh knows.
  subroutine stop_by
    real(real32) :: x(2, 3), y(3, 2)
    logical :: mask(3, 2)
    integer :: dim
    x = 1
    mask = .true.
    call get_command_argument(2, argument)
    dim = 3
    if (argument == "zero") dim = 0
    select case (argument)
    case ("dim", "zero")
      print *, sum_prefix(x, dim=dim)
    case ("mask")
      print *, maxval_suffix(x, mask=mask)
    case ("segment")
      print *, product_prefix(x, segment=mask)
    case ("shape")
      call mmscan_cumsum(x, y)
    case ("environment")
      print *, minval_prefix(x)
    end select
    write (error_unit, *) "it goes on"
  end subroutine stop_by
end program test_mmscan
