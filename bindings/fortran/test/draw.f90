! Random numbers for tests.
module draw
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  private
  public :: below, one_of, begin, draw_value, setting

  ! An element of an array. Integers are anything, now and then one of both ends. Others are powers of two, so that sums
  ! and products of a few thousand are exact in any order.
  interface draw_value
    module procedure draw_r32, draw_r64, draw_i8, draw_i16, draw_i32, draw_i64, draw_c32, draw_c64
  end interface draw_value

contains

  subroutine begin(seed)
    integer, intent(in) :: seed
    integer :: length, i
    real(real64) :: number
    call random_seed(size=length)
    call random_seed(put=[(seed * 7919 + i, i = 1, length)])
    do i = 1, 20
      call random_number(number)
    end do
  end subroutine begin

  ! One of 0 to limit - 1.
  function below(limit)
    integer, intent(in) :: limit
    integer :: below
    real(real64) :: number
    call random_number(number)
    below = int(number * limit)
  end function below

  ! True once in so many times.
  function one_of(times)
    integer, intent(in) :: times
    logical :: one_of
    one_of = below(times) == 0
  end function one_of

  ! A number in the environment.
  function setting(name, otherwise)
    character(*), intent(in) :: name
    integer, intent(in) :: otherwise
    integer :: setting, status
    character(20) :: text
    setting = otherwise
    call get_environment_variable(name, text, status=status)
    if (status == 0 .and. text /= "") read (text, *) setting
  end function setting

  function power()
    real(real64) :: power
    power = 1
    if (one_of(8)) power = merge(2.0_real64, 0.5_real64, one_of(2))
    if (one_of(2)) power = -power
  end function power

  subroutine draw_r32(x)
    real(real32), intent(out) :: x
    x = real(power(), real32)
  end subroutine draw_r32

  subroutine draw_r64(x)
    real(real64), intent(out) :: x
    x = power()
  end subroutine draw_r64

  subroutine draw_c32(x)
    complex(real32), intent(out) :: x
    x = cmplx(power(), 0, real32)
    if (one_of(2)) x = cmplx(0, power(), real32)
  end subroutine draw_c32

  subroutine draw_c64(x)
    complex(real64), intent(out) :: x
    x = cmplx(power(), 0, real64)
    if (one_of(2)) x = cmplx(0, power(), real64)
  end subroutine draw_c64

  subroutine draw_i64(x)
    integer(int64), intent(out) :: x
    integer :: i
    x = 0
    do i = 1, 4
      x = ior(ishft(x, 16), int(below(65536), int64))
    end do
    if (one_of(2)) x = mod(x, 4_int64)
    if (one_of(20)) x = merge(huge(x), not(huge(x)), one_of(2))
  end subroutine draw_i64

  subroutine draw_i32(x)
    integer(int32), intent(out) :: x
    integer(int64) :: y
    call draw_i64(y)
    x = transfer(y, x) ! the lower half, of both ends -1 and 0
    if (one_of(20)) x = merge(huge(x), not(huge(x)), one_of(2))
  end subroutine draw_i32

  subroutine draw_i16(x)
    integer(int16), intent(out) :: x
    integer(int64) :: y
    call draw_i64(y)
    x = transfer(y, x)
    if (one_of(20)) x = merge(huge(x), not(huge(x)), one_of(2))
  end subroutine draw_i16

  subroutine draw_i8(x)
    integer(int8), intent(out) :: x
    integer(int64) :: y
    call draw_i64(y)
    x = transfer(y, x)
    if (one_of(20)) x = merge(huge(x), not(huge(x)), one_of(2))
  end subroutine draw_i8
end module draw
