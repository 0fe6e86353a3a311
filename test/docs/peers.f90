! For the Fortran lines of doc/FROM.md: what HPF 2.0, 7.7, says of one function, for arrays of rank 1, as plain loops.
module hpf_library
  implicit none
contains
  function sum_prefix(array, segment, exclusive) result(sums)
    real(8), intent(in) :: array(:)
    logical, intent(in) :: segment(:)
    logical, intent(in) :: exclusive
    real(8) :: sums(size(array)), total
    integer :: i
    total = 0
    do i = 1, size(array)
      if (i > 1) then
        if (segment(i) .neqv. segment(i - 1)) total = 0
      end if
      if (exclusive) sums(i) = total
      total = total + array(i)
      if (.not. exclusive) sums(i) = total
    end do
  end function
end module
