import type { SeverityCounts } from './severity.ts'

/** Times are in milliseconds since the epoch. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface OpenSample {
  readonly at: number
  /** Open findings, waived ones included; null before the first check result. */
  readonly open: Readonly<SeverityCounts> | null
}

/** Findings that were opened and resolved in a span; the median is of those that were fixed, null = none was. */
export interface FindingCounts {
  readonly opened: number
  readonly resolved: number
  readonly medianHoursToFix: number | null
}

/** What the plots show of a tenant's history. */
export interface Trend extends Span {
  /** Oldest first, at equal distances; the last one is of `to`. */
  readonly samples: readonly OpenSample[]
  /** Weeks that end with `to`, oldest first; the first one may begin before `from`. */
  readonly weeks: readonly (Span & FindingCounts)[]
  readonly medianHoursToFix: number | null
  /** Null while it lasts. */
  readonly holds: readonly { readonly from: number; readonly until: number | null }[]
  /** When the data of at least one resource was older than its limit, or not read yet; without overlaps. */
  readonly gaps: readonly Span[]
}
