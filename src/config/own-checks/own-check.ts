import type { ResourceName } from '../../model/resource-names.ts'
import type { Severity } from '../../model/severity.ts'

/** What the header of an own check says. */
export interface OwnCheckHeader {
  readonly id: string
  readonly title: string
  readonly severity: Severity
  /** The resources it reads; at least one. */
  readonly inputs: readonly ResourceName[]
  /** How old the inputs may be beside their freshness limits, in milliseconds; null = as old as those allow. */
  readonly maxAgeMs: number | null
  /** The kind of its entities. */
  readonly entity: string
  readonly frameworks: readonly string[]
  readonly description: string | null
  readonly risk: string | null
  readonly remediation: string | null
}

/** A check that an operator wrote, as its file has it. */
export interface WellFormedCheck extends OwnCheckHeader {
  readonly file: string
  readonly query: string
  /** True when the query may say another thing at another time of the same records. */
  readonly timeBased: boolean
  readonly problem: null
}

/** A file that makes no check; it stands for one that cannot be evaluated. */
export interface BrokenCheck {
  readonly id: string
  readonly file: string
  /** One sentence that names the rule. */
  readonly problem: string
}

export type OwnCheck = WellFormedCheck | BrokenCheck

export interface OwnChecksSettings {
  /** Null = there are none. */
  readonly folder: string | null
  readonly timeoutMs: number
  readonly maxRows: number
  /** In the order of their files. */
  readonly checks: readonly OwnCheck[]
  /** True when a check may be behind something that could not be read: one that is not listed may still exist. */
  readonly incomplete: boolean
}
