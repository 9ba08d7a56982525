! Jacobi's method in one, two and three dimensions, in procedures that are called in loops.
program jacobi
  integer, parameter :: n = 75, m = 1000, l = 21, most = 3
  real(8) :: a(n, n), b(n, n), eps; real :: u(0:m + 1), v(0:m + 1)
  real(kind=8), dimension(l, l, l) :: p, q; integer :: it
!DVM$ DISTRIBUTE (BLOCK, BLOCK) :: a
  a = 1; b = 0; u = 1; p = 1
  do it = 1, most
    call two(a, b, eps)
    if (eps < 0.0) exit
  end do
  call one(u, v, m)
  do it = 1, 2
    call one(v, u, m)
    call three
  end do
  print *, eps, u(1), p(2, 2, 2)
contains
  subroutine three
    integer :: i, j, k
!DVM$ REGION INOUT(p), LOCAL(q)
!DVM$ PARALLEL (k, j, i) ON q(i, j, k), SHADOW_RENEW(p)
    do k = 2, l - 1; do j = 2, l - 1; do i = 2, l - 1
      q(i, j, k) = (p(i - 1, j, k) + p(i + 1, j, k) + p(i, j - 1, k) + &
            p(i, j + 1, k) + p(i, j, k - 1) + p(i, j, k + 1)) / 6.0
    end do; end do; end do
!DVM$ PARALLEL (k, j, i) ON p(i, j, k)
    do k = 2, l - 1; do j = 2, l - 1; do i = 2, l - 1
      p(i, j, k) = q(i, j, k)
    end do; end do; end do
!DVM$ END REGION
  end subroutine
end program

subroutine two(a, b, eps)
  integer, parameter :: n = 75
  real(8) :: a(n, n), b(n, n), eps
  eps = 0
!DVM$ REGION IN(b), &
!DVM$& INOUT(a)
!DVM$ PARALLEL (j, i) ON a(i, j), &
!DVM$& REDUCTION(MAX(eps))
  do j = 2, n - 1; do i = 2, n - 1
    eps = max(eps, abs(b(i, j) - a(i, j)))
    a(i, j) = b(i, j)
  end do; end do
!DVM$ PARALLEL (j, i) ON b(i, j), SHADOW_RENEW(a)
  do j = 2, n - 1; do i = 2, n - 1
    b(i, j) = (a(i - 1, j) + a(i, j - 1) + a(i + 1, j) + a(i, j + 1)) / 4
  end do; end do
!DVM$ END REGION
end subroutine

subroutine one(u, v, m)
  integer m
  real u(0:m + 1), v(0:m + 1)
!DVM$ ACTUAL(u)
!DVM$ REGION IN(u), OUT(v)
!DVM$ PARALLEL (i) ON v(i)
  do i = 1, m; v(i) = 0.5 * (u(i - 1) + u(i + 1)); end do
!DVM$ END REGION
!DVM$ GET_ACTUAL(v)
end subroutine
