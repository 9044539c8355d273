/** The envelope of every response ("Response envelope"); loose, because faults reshape it. */
export interface Envelope {
  data: unknown
  pagination: unknown
  error: unknown
  meta: unknown
}

/** The pagination object ("Pagination object"); `limit` is absent on API clients. */
export interface Pagination {
  readonly limit?: number
  readonly nextCursor?: string | null
  readonly hasMore: boolean
}
