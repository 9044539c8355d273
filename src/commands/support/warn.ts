import type { Diagnosis } from '../../doctor/diagnosis.ts'
import type { Io } from '../../model/process/io.ts'
import { printable } from '../../model/text/printable.ts'
import { note } from './io.ts'

/** Writes warnings about a valid configuration to standard error, equal ones once. */
export function warn(io: Io, warnings: readonly Diagnosis[]): void {
  const lines = warnings.map(({ text, next }) => `Warning: ${text}. ${next}`)
  for (const line of new Set(lines)) note(io, printable(line))
}
