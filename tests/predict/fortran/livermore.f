C     After the Livermore loops, in fixed form, with labels and implicit types.
      PROGRAM LOOPS
      IMPLICIT REAL*8 (A-H, O-Z)
      PARAMETER (N = 500, M = 40)
      DIMENSION X(N + 11), Y(N + 11), Z(N + 11)
      COMMON /SPACE/ ZA(M, 7), ZB(M, 7), ZP(M, 7), ZQ(M, 7), ZR(M, 7)
      REAL*4 V(M, M)
      DATA Q, R, T /0.1, 0.2, 0.3/
      X = 1
      Y = 2
      Z = 3
C     1, hydrodynamics
CDVM$ PARALLEL (K) ON X(K)
      DO 1 K = 1, N
    1 X(K) = Q + Y(K) * (R * Z(K + 10) + T * Z(K + 11))
C     3, inner product
      Q = 0
CDVM$ PARALLEL (K) ON X(K), REDUCTION (SUM(Q))
      DO 3 K = 1, N
        Q = Q + Z(K) * X(K)
    3 CONTINUE
C     5, tridiagonal elimination; across i
*DVM$ PARALLEL (I) ON X(I),
*DVM$* ACROSS (X(1:0)), CUDA_BLOCK(128)
      DO 5 I = 2, N
    5 X(I) = Z(I) * (Y(I) - X(I - 1))
C     18, hydrodynamics in two dimensions, with an end that loops share
CDVM$ PARALLEL (K, J) ON ZA(J, K)
      DO 75 K = 2, 6
      DO 75 J = 2, M - 1
        ZA(J, K) = (ZP(J - 1, K + 1) + ZQ(J - 1, K + 1) - ZP(J - 1, K)
     &    - ZQ(J - 1, K)) * (ZR(J, K) + ZR(J - 1, K))
        ZB(J, K) = (ZP(J - 1, K) + ZQ(J - 1, K) - ZP(J, K)
     &    - ZQ(J, K)) * (ZR(J, K) + ZR(J, K - 1))
   75 CONTINUE
C     21, product of matrices, in turns of a loop around
      DO 21 K = 1, 7
CDVM$ PARALLEL (J, I) ON V(I, J)
        DO 21 J = 1, M
          DO 21 I = 1, M
            V(I, J) = V(I, J) + ZA(I, K) * ZB(J, K)
   21 CONTINUE
      PRINT *, X(1), Q, ZA(2, 2), V(1, 1)
      END
