export interface Shares {
  readonly replicas: number
  /** `replicas` without other ones that have just begun. */
  readonly established: number
  readonly tenants: number
  readonly own: number
  readonly unowned: number
  /** Tenants without a row in `tenants`. */
  readonly erased: number
  /** JSON: ids of living replicas and digests of their configurations. */
  readonly living: string
}

export const nothingShared: Shares = {
  replicas: 1,
  established: 1,
  tenants: 0,
  own: 0,
  unowned: 0,
  erased: 0,
  living: '[]',
}

/**
 * While most tenants have no owner, a new replica takes a part of its share in each of its first rounds, because
 * replicas that start at the same time would otherwise only get what it gives back. It takes tenants of dead replicas
 * at once.
 */
export const firstRounds = 3

/** Least size of such a part. */
const leastPart = 16

/** An equal share. */
export function shareOf({ tenants }: Shares, replicas: number): number {
  return Math.ceil(tenants / Math.max(1, replicas))
}

export function partOf(shares: Shares): number {
  return Math.max(leastPart, Math.ceil(shareOf(shares, shares.replicas) / (firstRounds + 1)))
}
