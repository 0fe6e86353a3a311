! mmscan_place: scans of arrays of any type and rank, which are told by where their elements are. All that does not
! depend on the type or rank of a scan is here; mmscan.F90 has the rest.
module mmscan_place
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int, c_intptr_t, c_loc, c_null_ptr, c_ptr, &
    c_size_t, c_sizeof
  use mmscan_c
  implicit none
  private
  public :: operation, way, way_of, place, place_of, is_described, scan_along, scan_or_fail, check_along, check_shape, &
    give_status, message_of, message_length

  integer, parameter :: max_rank = 4

  ! What a function of the module is for.
  type :: operation
    character(14) :: name
    integer(c_int) :: op
    logical :: reverse
  end type operation

  ! How it scans: along dim or, if that is 0, all elements in element order.
  type :: way
    type(operation) :: of
    integer :: dim = 0
    logical :: exclusive = .false.
    type(c_ptr) :: init = c_null_ptr ! what exclusive scans start from; NULL: the library's identity
  end type way

  ! Where the elements of an array are. Steps are bytes, and 0 where a dimension has fewer than two elements.
  type :: place
    integer :: rank = 0
    integer(c_intptr_t) :: first = 0
    integer(c_intptr_t) :: extents(max_rank) = 1
    integer(c_intptr_t) :: steps(max_rank) = 0
    integer(c_intptr_t) :: element = 1 ! bytes
    integer(c_int) :: type = 0
  end type place

contains

  ! The place of an array of which `first` is the first element, and next(d) its neighbour in dimension d, or itself.
  function place_of(type, bits, extents, first, next) result(at)
    integer(c_int), intent(in) :: type
    integer, intent(in) :: bits
    integer(c_intptr_t), intent(in) :: extents(:)
    type(c_ptr), intent(in) :: first, next(:)
    type(place) :: at
    integer :: d

    at%type = type
    at%element = bits / 8
    at%rank = size(extents)
    at%extents(:at%rank) = extents
    at%first = address(first)
    do d = 1, at%rank
      at%steps(d) = address(next(d)) - at%first
    end do
  end function place_of

  pure function address(pointer)
    type(c_ptr), intent(in) :: pointer
    integer(c_intptr_t) :: address
    address = transfer(pointer, address)
  end function address

  function pointer_to(address) result(pointer)
    integer(c_intptr_t), intent(in) :: address
    type(c_ptr) :: pointer
    pointer = transfer(address, pointer)
  end function pointer_to

  ! Whether all steps are multiples of the element, as the library counts in elements. They are not in z%value of an
  ! array z of 24 bytes each, whose component `value` is complex(real64).
  pure function is_stepped(at)
    type(place), intent(in) :: at
    logical :: is_stepped
    is_stepped = all(mod(at%steps, at%element) == 0)
  end function is_stepped

  ! Whether all elements, in element order, are one step apart: of a contiguous array, of any section of rank 1, and of
  ! others whose dimensions go on where the one before ends.
  pure function is_steady(at)
    type(place), intent(in) :: at
    logical :: is_steady
    integer(c_intptr_t) :: next
    integer :: d

    is_steady = is_stepped(at)
    next = 0
    do d = 1, at%rank
      if (at%extents(d) <= 1) cycle
      if (next /= 0 .and. at%steps(d) /= next) is_steady = .false.
      next = at%steps(d) * at%extents(d)
    end do
  end function is_steady

  ! Whether the library can scan an array where it is.
  pure function is_described(at, by)
    type(place), intent(in) :: at
    type(way), intent(in) :: by
    logical :: is_described
    if (by%dim > 0) then
      is_described = is_stepped(at)
    else
      is_described = is_steady(at)
    end if
  end function is_described

  ! ---- Descriptions ------------------------------------------------------------------------------------------------

  ! The step, in elements, of a scan along dim, or of all elements if dim is 0; 1 where there is one element.
  pure function step_along(at, dim) result(step)
    type(place), intent(in) :: at
    integer, intent(in) :: dim
    integer(c_intptr_t) :: step
    integer :: d

    step = 0
    if (dim > 0) then
      step = at%steps(dim)
    else
      do d = at%rank, 1, -1
        if (at%extents(d) > 1) step = at%steps(d)
      end do
    end if
    step = step / at%element
    if (step == 0) step = 1
  end function step_along

  ! A description of one scan.
  function one_scan(by, x, y) result(desc)
    type(way), intent(in) :: by
    type(place), intent(in) :: x, y
    type(mmscan_desc) :: desc

    desc%struct_size = c_sizeof(desc)
    desc%x_type = x%type
    desc%y_type = y%type
    desc%op = by%of%op
    desc%kind = merge(mmscan_exclusive, mmscan_inclusive, by%exclusive)
    desc%reverse = merge(1_c_int, 0_c_int, by%of%reverse)
    desc%n = product(x%extents)
    if (by%dim > 0) desc%n = x%extents(by%dim)
    desc%x_stride = step_along(x, by%dim)
    desc%y_stride = step_along(y, by%dim)
    if (by%exclusive) desc%init = by%init
  end function one_scan

  ! Adds all dimensions but dim to a description, as dimensions around it.
  subroutine add_outer(desc, outer, x, y, dim)
    type(mmscan_desc), intent(inout) :: desc
    type(mmscan_dim), intent(inout), target :: outer(max_rank)
    type(place), intent(in) :: x, y
    integer, intent(in) :: dim
    integer :: d, count

    count = 0
    do d = x%rank, 1, -1
      if (d == dim .or. x%extents(d) == 1) cycle
      count = count + 1
      outer(count) = mmscan_dim(x%extents(d), x%steps(d) / x%element, y%steps(d) / y%element)
    end do
    desc%outer_rank = count
    desc%outer = c_loc(outer)
  end subroutine add_outer

  ! ---- Scans -------------------------------------------------------------------------------------------------------

  ! Scans x into y, which have the same extents and are described. segment has a value for each element, in element
  ! order.
  function scan_along(by, x, y, segment) result(status)
    type(way), intent(in) :: by
    type(place), intent(in) :: x, y
    logical, intent(in), optional, target :: segment(*)
    integer(c_int) :: status
    type(mmscan_desc) :: desc
    type(mmscan_dim), target :: outer(max_rank)

    status = mmscan_ok
    if (any(x%extents == 0)) return
    desc = one_scan(by, x, y)
    if (.not. present(segment)) then
      if (by%dim > 0) call add_outer(desc, outer, x, y, by%dim)
      status = c_scan(desc, pointer_to(x%first), pointer_to(y%first))
    else if (desc%n == product(x%extents)) then
      status = scan_segments(desc, segment, x%first, y%first)
    else
      status = scan_lines(desc, segment, x, y, by%dim)
    end if
  end function scan_along

  subroutine scan_or_fail(by, x, y, segment)
    type(way), intent(in) :: by
    type(place), intent(in) :: x, y
    logical, intent(in), optional, target :: segment(*)
    call give_status(by, scan_along(by, x, y, segment))
  end subroutine scan_or_fail

  ! One scan, whose segments are the runs of equal values of `segment`.
  function scan_segments(desc, segment, x, y) result(status)
    type(mmscan_desc), intent(in) :: desc
    logical, intent(in), target :: segment(*)
    integer(c_intptr_t), intent(in) :: x, y
    integer(c_int) :: status
    type(mmscan_segments) :: segments

    segments%struct_size = c_sizeof(segments)
    segments%form = mmscan_keys
    segments%type = type_of_logical()
    segments%data = c_loc(segment)
    status = c_scan_segments(desc, segments, pointer_to(x), pointer_to(y))
  end function scan_segments

  ! A type of integers that is as wide as a default logical: equal ones have equal bits.
  pure function type_of_logical() result(type)
    integer(c_int) :: type
    type = mmscan_i32
    if (storage_size(.true.) == 64) type = mmscan_i64
  end function type_of_logical

  ! A call for each scan along dim, as each has segments of its own.
  function scan_lines(desc, segment, x, y, dim) result(status)
    type(mmscan_desc), intent(in) :: desc
    logical, intent(in), target :: segment(*)
    type(place), intent(in) :: x, y
    integer, intent(in) :: dim
    integer(c_int) :: status
    logical, allocatable :: line(:)
    integer(c_intptr_t) :: n, inner, first, i, j, at(max_rank)
    integer :: failed

    n = x%extents(dim)
    inner = product(x%extents(:dim - 1))
    status = mmscan_enomem
    allocate(line(merge(0_c_intptr_t, n, inner == 1)), stat=failed)
    if (failed /= 0) return
    do j = 0, product(x%extents) / n - 1
      first = j / inner * inner * n + mod(j, inner)
      at = subscripts(x, first)
      if (inner == 1) then
        status = scan_segments(desc, segment(first + 1), x%first + sum(at * x%steps), y%first + sum(at * y%steps))
      else
        do i = 1, n
          line(i) = segment(first + (i - 1) * inner + 1)
        end do
        status = scan_segments(desc, line, x%first + sum(at * x%steps), y%first + sum(at * y%steps))
      end if
      if (status /= mmscan_ok) return
    end do
  end function scan_lines

  ! The subscripts, from 0, of an element that has so many before it in element order.
  pure function subscripts(x, before) result(at)
    type(place), intent(in) :: x
    integer(c_intptr_t), intent(in) :: before
    integer(c_intptr_t) :: at(max_rank), rest
    integer :: d

    rest = before
    do d = 1, max_rank
      at(d) = mod(rest, x%extents(d))
      rest = rest / x%extents(d)
    end do
  end function subscripts

  ! Whether x may be scanned into y: MMSCAN_EOVERLAP if they share memory and are not one. Dimensions are looked at in
  ! any order, as that makes no difference.
  function check_along(by, x, y) result(status)
    type(way), intent(in) :: by
    type(place), intent(in) :: x, y
    integer(c_int) :: status
    type(way) :: along
    type(mmscan_desc) :: desc
    type(mmscan_dim), target :: outer(max_rank)

    status = mmscan_ok
    if (any(x%extents == 0)) return
    along = by
    along%dim = 1
    desc = one_scan(along, x, y)
    call add_outer(desc, outer, x, y, 1)
    status = c_arrays_check(desc, pointer_to(x%first), pointer_to(y%first))
  end function check_along

  ! ---- Arguments and errors ----------------------------------------------------------------------------------------

  ! How a function scans an array of a rank. Ends the program if dim is none of its dimensions.
  function way_of(of, rank, dim, exclusive) result(by)
    type(operation), intent(in) :: of
    integer, intent(in) :: rank
    integer, intent(in), optional :: dim
    logical, intent(in), optional :: exclusive
    type(way) :: by

    by%of = of
    if (present(exclusive)) by%exclusive = exclusive
    if (.not. present(dim)) return
    by%dim = dim
    if (dim < 1 .or. dim > rank) call fail(of, "dim is not a dimension of array")
  end function way_of

  ! Ends the program if an argument does not have the shape of the array.
  subroutine check_shape(of, name, shape_of_argument, shape_of_array)
    type(operation), intent(in) :: of
    character(*), intent(in) :: name
    integer(c_intptr_t), intent(in) :: shape_of_argument(:), shape_of_array(:)
    if (any(shape_of_argument /= shape_of_array)) call fail(of, name // " does not have the shape of array")
  end subroutine check_shape

  ! Ends the program if a call failed, unless somebody takes its status.
  subroutine give_status(by, status, stat)
    type(way), intent(in) :: by
    integer(c_int), intent(in) :: status
    integer, intent(out), optional :: stat

    if (present(stat)) then
      stat = status
    else if (status /= mmscan_ok) then
      call fail(by%of, message_of(status))
    end if
  end subroutine give_status

  subroutine fail(of, why)
    type(operation), intent(in) :: of
    character(*), intent(in) :: why
    error stop trim(of%name) // ": " // why
  end subroutine fail

  ! The length of message_of(), asked for beforehand, as gfortran keeps that of an allocatable result in one place for all
  ! threads.
  pure function message_length(status) result(length)
    integer(c_int), intent(in) :: status
    integer(c_size_t) :: length
    length = c_strlen(c_strerror(status))
    if (status == mmscan_ok .or. address(c_environment_error()) == 0) return
    length = length + 2 + c_strlen(c_environment_error())
  end function message_length

  ! What a status means; and what is wrong with the environment, if anything is.
  function message_of(status) result(message)
    integer(c_int), intent(in) :: status
    character(message_length(status)) :: message
    integer :: end

    message = ""
    call put_string(c_strerror(status), message)
    if (status == mmscan_ok .or. address(c_environment_error()) == 0) return
    end = len_trim(message)
    message(end + 1:) = ": "
    call put_string(c_environment_error(), message(end + 3:))
  end function message_of

  ! Puts a string of C into one of Fortran, as far as there is room.
  subroutine put_string(text, string)
    type(c_ptr), intent(in) :: text
    character(*), intent(inout) :: string
    character(c_char), pointer :: letters(:)
    integer(c_size_t) :: i

    call c_f_pointer(text, letters, [c_strlen(text)])
    do i = 1, min(len(string, c_size_t), size(letters, 1, c_size_t))
      string(i:i) = letters(i)
    end do
  end subroutine put_string
end module mmscan_place
