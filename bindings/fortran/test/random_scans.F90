! Random scans of every type and rank: of whole arrays and sections, along dimensions or not, with and without masks and
! segments, each beside what the oracle says.
module random_scans
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use mmscan
  use oracle, only: expect
  use draw, only: below, draw_value, one_of
  implicit none
  private
  public :: try

#define SAME(a) a
#define NAME(f) SAME(f)SAME(_)SAME(KIND_NAME)SAME(_)SAME(RANK)

  character(14), parameter :: functions(8) = [character(14) :: "sum_prefix", "sum_suffix", "product_prefix", &
    "product_suffix", "maxval_prefix", "maxval_suffix", "minval_prefix", "minval_suffix"]

  ! A section in one dimension, a:z:s, of n elements, of an array of extent `whole`.
  type :: range
    integer :: n = 1, a = 1, z = 1, s = 1, whole = 1
  end type range

contains

  ! A section of n elements. Every third is all of the dimension.
  function draw_range(n) result(r)
    integer, intent(in) :: n
    type(range) :: r
    integer :: lower

    r%n = n
    lower = 1
    if (.not. one_of(3)) then
      lower = 1 + below(3)
      r%s = 1 + below(3)
    end if
    r%whole = lower + max(n - 1, 0) * r%s
    r%a = lower
    r%z = lower + (n - 1) * r%s
    if (lower > 1) r%whole = r%whole + below(3)
    if (one_of(3)) then
      r%a = lower + max(n - 1, 0) * r%s
      r%z = r%a - (n - 1) * r%s
      r%s = -r%s
    end if
  end function draw_range

  ! The extents of an array: few elements in all, now and then none in a dimension, or one long one.
  function draw_extents(rank) result(n)
    integer, intent(in) :: rank
    integer :: n(4), d
    integer, parameter :: most(4) = [40, 8, 5, 4]

    n = 1
    do d = 1, rank
      n(d) = 1 + below(most(rank))
      if (one_of(20)) n(d) = 0
    end do
    if (one_of(40)) n(1 + below(rank)) = 1500 / product(max(n, 1))
  end function draw_extents

  ! A random scan of each type and rank.
  subroutine try(failed)
    logical, intent(out) :: failed

    failed = .false.
#define TRY_ALL
#include "each_case.fi"
#undef TRY_ALL
  end subroutine try

#include "each_case.fi"
end module random_scans
