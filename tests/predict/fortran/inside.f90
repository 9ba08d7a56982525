! Calls in parallel loops, each nest followed by one that does the same without.
program inside
  integer, parameter :: n = 40, m = 4; integer :: i, j, k
  real :: a(n), b(n), c(m, n), d(0:n, n), s; real(8) :: e(n)
!DVM$ PARALLEL (i), PRIVATE(s)
  do i = 2, n
    call scale(a(i), b(i) + 1, s)
    a(i) = a(i - 1) + s
    if (s < 0) exit
  end do
!DVM$ PARALLEL (i), PRIVATE(s)
  do i = 2, n
    s = a(i) * (b(i) + 1); a(i) = s
    a(i) = a(i - 1) + s
    if (s < 0) exit
  end do
!DVM$ PARALLEL (j)
  do j = 1, n; call column(c, j); end do
!DVM$ PARALLEL (j)
  do j = 1, n
    do i = 1, m
      c(i, j) = c(i, j) + i
      if (i > 2 .and. c(i, 1) > 0) c(i, j) = 0
    end do
    if (j == 3) c(1, j) = 1
  end do
!DVM$ PARALLEL (j)
  do j = 1, n; call vector(d(2, j), n - 2); end do
!DVM$ PARALLEL (j)
  do j = 1, n; do i = 1, n - 2; d(i + 1, j) = d(i + 1, n) * 2; end do; end do
!DVM$ PARALLEL (i)
  do i = 1, n; e(i) = norm(a(i), e(i)) + twice(i); end do
!DVM$ PARALLEL (i)
  do i = 1, n; e(i) = sqrt(a(i) ** 2 + e(i) ** 2) + 2 * i; end do
contains
  subroutine scale(x, y, z)
    real :: x, y, z
    z = x * y
    x = z
  end subroutine
  subroutine column(x, j)
    integer, intent(in) :: j; integer :: i; real :: x(m, n)
    do i = 1, m
      x(i, j) = x(i, j) + i
      if (i > 2 .and. x(i, 1) > 0) x(i, j) = 0
    end do
    if (j == 3) x(1, j) = 1
    return
  end subroutine
  subroutine vector(x, l)
    integer :: l, i; real :: x(l)
    do i = 1, l; x(i) = d(i + 1, n) * 2; end do
  end subroutine
  real(8) function norm(x, y) result(z)
    real :: x; real(8) :: y
    z = sqrt(x ** 2 + y ** 2)
  end function
  integer function twice(i)
    integer :: i
    twice = 2 * i
  end function
end program
