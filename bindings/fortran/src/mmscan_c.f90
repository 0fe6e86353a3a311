! mmscan_c: what the Fortran module takes from mmscan.h. `make fortran` compares every value and component with C's
! (layout/).
module mmscan_c
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_ptr, c_ptr, c_ptrdiff_t, c_size_t
  implicit none

  ! typedef enum mmscan_status
  enum, bind(c)
    enumerator :: mmscan_ok = 0
    enumerator :: mmscan_einval, mmscan_eoverlap, mmscan_enomem, mmscan_enotsup, mmscan_eblas, mmscan_eio, &
      mmscan_eoverflow
  end enum

  ! typedef enum mmscan_type
  enum, bind(c)
    enumerator :: mmscan_f32 = 1
    enumerator :: mmscan_f64, mmscan_i32, mmscan_i64, mmscan_u32, mmscan_u64, mmscan_c32, mmscan_c64, mmscan_i8, &
      mmscan_u8, mmscan_i16, mmscan_u16, mmscan_f16, mmscan_bf16
  end enum

  ! typedef enum mmscan_op
  enum, bind(c)
    enumerator :: mmscan_plus = 1
    enumerator :: mmscan_max, mmscan_min, mmscan_mul, mmscan_logaddexp, mmscan_and, mmscan_or, mmscan_xor
  end enum

  ! typedef enum mmscan_kind
  enum, bind(c)
    enumerator :: mmscan_inclusive = 1
    enumerator :: mmscan_exclusive, mmscan_offsets
  end enum

  ! typedef enum mmscan_segment_form
  enum, bind(c)
    enumerator :: mmscan_flags = 1
    enumerator :: mmscan_starts, mmscan_keys
  end enum

  type, bind(c) :: mmscan_dim
    integer(c_size_t) :: n = 0
    integer(c_ptrdiff_t) :: x_stride = 0, y_stride = 0
  end type mmscan_dim

  type, bind(c) :: mmscan_desc
    integer(c_size_t) :: struct_size = 0
    integer(c_int) :: x_type = 0, y_type = 0, op = 0, kind = 0, reverse = 0
    integer(c_size_t) :: n = 0
    integer(c_ptrdiff_t) :: x_stride = 1, y_stride = 1
    integer(c_size_t) :: batch = 1
    integer(c_ptrdiff_t) :: x_dist = 0, y_dist = 0
    type(c_ptr) :: init = c_null_ptr, totals = c_null_ptr
    integer(c_int) :: flags = 0
    integer(c_size_t) :: outer_rank = 0
    type(c_ptr) :: outer = c_null_ptr, indices = c_null_ptr, state = c_null_ptr
  end type mmscan_desc

  type, bind(c) :: mmscan_segments
    integer(c_size_t) :: struct_size = 0
    integer(c_int) :: form = 0, type = 0
    integer(c_size_t) :: count = 0
    type(c_ptr) :: data = c_null_ptr, totals = c_null_ptr
  end type mmscan_segments

  interface
    function c_scan(desc, x, y) result(status) bind(c, name="mmscan_scan")
      import :: c_int, c_ptr, mmscan_desc
      type(mmscan_desc), intent(in) :: desc
      type(c_ptr), value :: x, y
      integer(c_int) :: status
    end function c_scan

    function c_scan_segments(desc, segments, x, y) result(status) bind(c, name="mmscan_scan_segments")
      import :: c_int, c_ptr, mmscan_desc, mmscan_segments
      type(mmscan_desc), intent(in) :: desc
      type(mmscan_segments), intent(in) :: segments
      type(c_ptr), value :: x, y
      integer(c_int) :: status
    end function c_scan_segments

    function c_arrays_check(desc, x, y) result(status) bind(c, name="mmscan_arrays_check")
      import :: c_int, c_ptr, mmscan_desc
      type(mmscan_desc), intent(in) :: desc
      type(c_ptr), value :: x, y
      integer(c_int) :: status
    end function c_arrays_check

    pure function c_strerror(status) result(text) bind(c, name="mmscan_strerror")
      import :: c_int, c_ptr
      integer(c_int), value :: status
      type(c_ptr) :: text
    end function c_strerror

    pure function c_environment_error() result(text) bind(c, name="mmscan_environment_error")
      import :: c_ptr
      type(c_ptr) :: text
    end function c_environment_error

    pure function c_strlen(text) result(length) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function c_strlen
  end interface
end module mmscan_c
