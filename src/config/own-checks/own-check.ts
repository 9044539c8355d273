import type { OwnCheckHeader } from './header.ts'

export interface WellFormedCheck extends OwnCheckHeader {
  readonly file: string
  readonly query: string
  /** True when the result of the same records can change with time. */
  readonly timeBased: boolean
  readonly problem: null
}

/** A file without a valid check; it becomes a check that cannot be evaluated. */
export interface BrokenCheck {
  readonly id: string
  readonly file: string
  readonly problem: string
}

export type OwnCheck = WellFormedCheck | BrokenCheck

export interface OwnChecksSettings {
  readonly folder: string | null
  readonly timeoutMs: number
  readonly maxRows: number
  readonly checks: readonly OwnCheck[]
  /** True if a file or the folder could not be read, so that unlisted checks may exist. */
  readonly incomplete: boolean
}
