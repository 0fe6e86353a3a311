! mmscan: prefix sums (scans) of arrays, by libmmscan.
!
! SPDX-License-Identifier: BSD-3-Clause
!
!   y = sum_prefix(array, dim, mask, segment, exclusive)        y(i) = array(1) + ... + array(i)
!   y = sum_suffix(array, dim, mask, segment, exclusive)        y(i) = array(n) + ... + array(i)
!
! and product_prefix, maxval_prefix, minval_prefix and product_suffix, maxval_suffix, minval_suffix alike, as in the HPF
! library. All arguments but the first are optional, and are best given by their names.
!
!   array      real(real32), (real64), integer(int8), (int16), (int32), (int64), complex(real32), (real64); of rank 1 to
!              4; an array or any section of one. Complex numbers have sums and products alone
!   dim        integer: along this dimension. Without it all elements are scanned, in element order: the first subscript
!              varies fastest
!   mask       logical, of the shape of array: an element where it is false has no part in any result. The result there
!              is that of the elements before it
!   segment    logical, of the shape of array: each run of equal values, in the order of the scan, is a segment, and is
!              scanned by itself
!   exclusive  logical: if it is true, an element has no part in its own result
!
! The result has the type and shape of array. That of no elements is 0, of products 1, of maxima -Inf, or -huge of
! integers, and of minima Inf, or huge. A NaN goes into the maxima and minima from where it stands on, as it does into
! sums: mask = array == array leaves it out. Integers wrap around. How exact sums of reals are, and which bits they
! have, says mmscan.h, under "Rules for every call".
!
!   call mmscan_cumsum(x, y, stat)
!
! adds up x in y: y(i) = x(1) + ... + x(i), of rank 1 to 4, in element order. y has the shape of x, and its type, or a
! wider one: integer(int8) and (int16) into (int32), these three into (int64), any of the four, and real(real32), into
! real(real64). In place, x and y are one: call mmscan_cumsum(x, x). (So x has no intent; it is not written.) Fortran
! wants that array to be a TARGET. stat is optional, an integer:
!
!   MMSCAN_OK        0
!   MMSCAN_EINVAL    x and y have different shapes; or an environment variable has an illegal value
!   MMSCAN_EOVERLAP  x and y share memory, and are not one
!   MMSCAN_ENOMEM    no memory where some is needed, see below
!   and others, as mmscan_scan() of mmscan.h tells, where the environment asks for what is not here
!
! y is unchanged then. mmscan_strerror(stat) is the text for it. Without stat, and in the functions, an error ends the
! program: ERROR STOP, with that text. So do a dim that array has not, and a mask or segment of another shape.
!
! Memory: nothing is copied of what has one stride, nor of any section where dim is given. What has several (a section
! of rank 2 to 4, in element order) is copied first, into the result or, by mmscan_cumsum, into a temporary; so is an
! array whose elements are not a multiple of their size apart, as z%value may be. With a mask the elements are copied
! into the result, and scanned there. With segment and dim each scan is a call of its own, of which there are many if
! the array is short along dim; a section as segment is copied.
!
! Threads: any number may call. A call uses as many as OpenMP allows, where they pay (MMSCAN_NUM_THREADS).
module mmscan
  use, intrinsic :: iso_c_binding, only: c_intptr_t, c_loc, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use mmscan_c, only: mmscan_f32, mmscan_f64, mmscan_i8, mmscan_i16, mmscan_i32, mmscan_i64, mmscan_c32, mmscan_c64, &
    mmscan_plus, mmscan_mul, mmscan_max, mmscan_min, &
    mmscan_ok, mmscan_einval, mmscan_eoverlap, mmscan_enomem, mmscan_enotsup, mmscan_eblas, mmscan_eio, mmscan_eoverflow
  use mmscan_place
  implicit none
  private
  public :: sum_prefix, product_prefix, maxval_prefix, minval_prefix
  public :: sum_suffix, product_suffix, maxval_suffix, minval_suffix
  public :: mmscan_cumsum, mmscan_strerror
  public :: mmscan_ok, mmscan_einval, mmscan_eoverlap, mmscan_enomem, mmscan_enotsup, mmscan_eblas, mmscan_eio, &
    mmscan_eoverflow

! What a macro stands for, and the end of a name behind it: gfortran's preprocessor, a traditional one, joins what
! stands side by side. sum_prefix_r64_2 is NAME(sum_prefix).
#define SAME(a) a
#define NAME(f) SAME(f)SAME(_)SAME(END_OF_NAME)SAME(_)SAME(RANK)
#define OF(f) SAME(of_)SAME(f)

  ! Not by ieee_arithmetic: gfortran saves and restores the modes of rounding and traps in each procedure that uses a
  ! module that uses that.
  real(real32), parameter :: infinity_r32 = transfer(int(z'7f800000', int32), 0.0_real32)
  real(real64), parameter :: infinity_r64 = transfer(int(z'7ff0000000000000', int64), 0.0_real64)

  integer, parameter :: long = c_size_t ! of extents, which need not fit into a default integer

  type(operation), parameter :: OF(sum_prefix) = operation("sum_prefix", mmscan_plus, .false.)
  type(operation), parameter :: OF(sum_suffix) = operation("sum_suffix", mmscan_plus, .true.)
  type(operation), parameter :: OF(product_prefix) = operation("product_prefix", mmscan_mul, .false.)
  type(operation), parameter :: OF(product_suffix) = operation("product_suffix", mmscan_mul, .true.)
  type(operation), parameter :: OF(maxval_prefix) = operation("maxval_prefix", mmscan_max, .false.)
  type(operation), parameter :: OF(maxval_suffix) = operation("maxval_suffix", mmscan_max, .true.)
  type(operation), parameter :: OF(minval_prefix) = operation("minval_prefix", mmscan_min, .false.)
  type(operation), parameter :: OF(minval_suffix) = operation("minval_suffix", mmscan_min, .true.)
  type(operation), parameter :: OF(mmscan_cumsum) = operation("mmscan_cumsum", mmscan_plus, .false.)

#define BODY "interfaces.fi"
#include "each_type.fi"
#undef BODY
#define BODY "cumsum_interfaces.fi"
#include "each_pair.fi"
#undef BODY

contains

  ! What a status of mmscan_cumsum means, in English; and, if the environment is illegal, which variable, and why.
  function mmscan_strerror(status) result(text)
    integer, intent(in) :: status
    character(message_length(status)) :: text
    text = message_of(status)
  end function mmscan_strerror

#define BODY "procedures.fi"
#include "each_type.fi"
#undef BODY
#define BODY "cumsum.fi"
#include "each_pair.fi"
#undef BODY
end module mmscan
