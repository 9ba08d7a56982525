! Reductions of numbers.
program reduce
  implicit none
  integer, parameter :: n = 1500, m = 45
  real :: a(n), big, small
  real(8) :: b(m, m), s, p
  integer :: i, j, num
  integer(8) :: c(n), total
  a = 1
  b = 1
  c = 1
  s = 0
  p = 1
  total = 0
!DVM$ PARALLEL (j, i) ON b(i, j), REDUCTION(SUM(s))
  do j = 1, m
    do i = 1, m
      s = s + b(i, j)
    end do
  end do
!DVM$ PARALLEL (j, i) ON b(i, j), REDUCTION(PRODUCT(p))
  do j = 1, m
    do i = 1, m
      p = b(i, j) * p
    end do
  end do
!DVM$ PARALLEL (i) ON a(i), REDUCTION(MAX(big), MIN(small))
  do i = 1, n
    big = max(big, a(i))
    small = min(small, a(i))
  end do
!DVM$ PARALLEL (i) ON a(i), REDUCTION(MIN(small))
  do i = 1, n
    small = min(a(i), small)
  end do
!DVM$ PARALLEL (i) ON c(i), REDUCTION(SUM(total), SUM(num))
  do i = 1, n
    total = total + c(i)
    if (c(i) > 0) num = num + 1
  end do
  print *, s, p, big, small, total, num
end program
