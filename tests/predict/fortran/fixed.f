c     Fixed form in lower case, with tabs, and lines that go on.
      program fixed
      integer n
      parameter (n = 60)
      real a(n), b(n, n)
      integer i, j
      a = 1
      b = 1
!DVM$ PARALLEL (i) ON a(i),
!DVM$&PRIVATE(t), private(t),
!dvm$* cuda_block(32)
      do i = 1,
     *n
        t = a(i)
        a(i) = t +
     1 2
      end do
cdvm$ parallel (j, i) on b(i, j)
C     a comment
      DO 10, J = 1, N
      DO 10 I = 1, N
   10 B(I, J) = 1
*DVM$ PARALLEL (I) ON A(I)
      do 20 i = 1, n
      a(i) = 1
   20 continue
      print *, a(1), b(1, 1)
      end
