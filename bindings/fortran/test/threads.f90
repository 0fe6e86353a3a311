! Calls by several threads at once. This file alone is compiled with OpenMP, by which local arrays are on the stack.
module threads
  use mmscan
  implicit none

contains

  ! How many of many texts, of several lengths, and scans are wrong by four threads at once.
  function wrong_by_threads() result(wrong)
    integer :: wrong, i, length(0:7), x(10), y(10)

    length = [(len(mmscan_strerror(i)), i = 0, 7)]
    x = 1
    wrong = 0
    !$omp parallel do num_threads(4) reduction(+:wrong) private(y)
    do i = 1, 200000
      if (len(mmscan_strerror(mod(i, 8))) /= length(mod(i, 8))) wrong = wrong + 1
      if (mod(i, 100) == 0) then
        y = sum_prefix(x)
        if (y(10) /= 10) wrong = wrong + 1
      end if
    end do
  end function wrong_by_threads
end module threads
