! What the functions of the module mmscan mean, element by element: each result is made anew of the elements that have a
! part in it. Of the arrays here all ranks are one: n has the extents, 1 in dimensions that are not there.
module oracle
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  private
  public :: expect

#define SAME(a) a
#define NAME(f) SAME(f)SAME(_)SAME(KIND_NAME)

  interface expect
    module procedure expect_r32, expect_r64, expect_i8, expect_i16, expect_i32, expect_i64, expect_c32, expect_c64
  end interface expect

contains

  ! The elements that have a part in element e, of which there are `count`.
  subroutine find(suffix, n, dim, mask, segment, exclusive, e, parts, count)
    logical, intent(in) :: suffix, mask(:), segment(:), exclusive
    integer, intent(in) :: n(4), dim, e
    integer, intent(inout) :: parts(:)
    integer, intent(out) :: count
    integer :: step, at, end, place

    step = 1
    place = e - 1
    end = size(mask) - 1
    if (dim > 0) then
      step = product(n(:dim - 1))
      place = mod((e - 1) / step, n(dim))
      end = n(dim) - 1
    end if
    if (suffix) then
      place = end - place
      step = -step
    end if
    count = 0
    at = e
    do
      if (mask(at) .and. .not. (exclusive .and. at == e)) then
        count = count + 1
        parts(count) = at
      end if
      place = place - 1
      if (place < 0) exit
      if (segment(at) .neqv. segment(at - step)) exit
      at = at - step
    end do
  end subroutine find

#define TYPE real(real32)
#define KIND_NAME r32
#define LOWEST -1 / zero
#define HIGHEST 1 / zero
#include "oracle.fi"
#define TYPE real(real64)
#define KIND_NAME r64
#define LOWEST -1 / zero
#define HIGHEST 1 / zero
#include "oracle.fi"
#define TYPE integer(int8)
#define KIND_NAME i8
#define LOWEST -127_int8
#define HIGHEST 127_int8
#include "oracle.fi"
#define TYPE integer(int16)
#define KIND_NAME i16
#define LOWEST -32767_int16
#define HIGHEST 32767_int16
#include "oracle.fi"
#define TYPE integer(int32)
#define KIND_NAME i32
#define LOWEST -2147483647_int32
#define HIGHEST 2147483647_int32
#include "oracle.fi"
#define TYPE integer(int64)
#define KIND_NAME i64
#define LOWEST -9223372036854775807_int64
#define HIGHEST 9223372036854775807_int64
#include "oracle.fi"
#define TYPE complex(real32)
#define KIND_NAME c32
#include "oracle.fi"
#define TYPE complex(real64)
#define KIND_NAME c64
#include "oracle.fi"
end module oracle
