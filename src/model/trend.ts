import type { SeverityCounts } from './severity.ts'

/** Times are in milliseconds since the epoch. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Findings that were opened and resolved in a span; the median is of those that were fixed, null = none was. */
export interface FindingCounts {
  readonly opened: number
  readonly resolved: number
  /** Of the resolved ones, those whose entity passes now; others ended as removed, not applicable or by another rule. */
  readonly fixed: number
  readonly medianHoursToFix: number | null
}

/** What the plots show of a tenant's history. */
export interface Trend extends Span, Pick<FindingCounts, 'medianHoursToFix'> {
  /** Open findings, waived ones included, at equal distances up to `to`, oldest first; null before the first result. */
  readonly samples: readonly { readonly at: number; readonly open: Readonly<SeverityCounts> | null }[]
  /** Weeks since the tenant is mirrored, the last one ends with `to`. */
  readonly weeks: readonly (Span & FindingCounts)[]
  readonly mirroredAt: number
  readonly holds: readonly Span[]
  /** An hour or longer in which a resource was not read or its data older than the limit; without overlaps. */
  readonly gaps: readonly Span[]
}
