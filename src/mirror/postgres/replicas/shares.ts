export interface Shares {
  readonly replicas: number
  /** Less those that have just begun, other than this one. */
  readonly established: number
  readonly tenants: number
  readonly own: number
  readonly unowned: number
  /** Without a row in `tenants`. */
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
 * While nobody has most of the tenants, a new replica takes a part of its share in each of its first rounds: others that
 * begin at the same time would only have what it gives back. Those of dead replicas it takes at once.
 */
export const firstRounds = 3

/** Of a share, at least so many are a part. */
const leastPart = 16

/** An even one. */
export function shareOf({ tenants }: Shares, replicas: number): number {
  return Math.ceil(tenants / Math.max(1, replicas))
}

export function partOf(shares: Shares): number {
  return Math.max(leastPart, Math.ceil(shareOf(shares, shares.replicas) / (firstRounds + 1)))
}
