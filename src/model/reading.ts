import type { ContractEventKind } from './contract-events.ts'

export interface Oddity {
  readonly kind: ContractEventKind
  readonly field: string
  /** A value that names no person, and the configuration key that lists the known values; `missing` = an absent field. */
  readonly detail?: string
}

export type AnyRecord = Readonly<Record<string, unknown>>

export interface ValidReading<T = AnyRecord> {
  readonly ok: true
  readonly record: T
  /** Fields that the specification does not name; null = none. */
  readonly extra: AnyRecord | null
  readonly oddities: readonly Oddity[]
}

/** The raw value and a reason, for the quarantine; `id` is null when unreadable. */
export interface InvalidReading {
  readonly ok: false
  readonly id: string | number | null
  readonly raw: unknown
  readonly problem: string
}

/** A record of an answer. */
export type Reading<T = AnyRecord> = ValidReading<T> | InvalidReading

export type Item = Reading
