import { printableJson } from '../model/text/printable.ts'
import { listChange, wordOf } from '../model/text/words.ts'
import type { Coverage } from './coverage.ts'

/** @param reopened at least 1. */
export function reopenedWords(reopened: number): string {
  return `reopened ${reopened === 1 ? 'once' : `${reopened} times`}`
}

/** `state "Active" -> "Inactive"`, `permissions: +Api_Users_Read`. */
export function changedField(field: string, before: unknown, after: unknown): string {
  const difference = listChange(before, after)
  if (difference !== null) return `${field}: ${difference}`
  return `${field} ${printableJson(before)} -> ${printableJson(after)}`
}

/** After another tenant was accepted, a resource's data belongs to the former tenant until it is read again. */
export function resourceStateWord(state: string, dataAsOf: string | null): string {
  if (state !== 'never') return wordOf(state)
  return dataAsOf === null ? 'never complete' : 'not read since the tenant changed'
}

export const caveat =
  'The state of a requirement follows from the checks mapped to it. Passing checks are evidence, not conformity; a requirement without checks is marked.'

/** `12 of 20 pass, 3 fail, 5 waived`, and `2 unknown` where some are not known. */
export function coverageInWords({ entities, passing, failing, waived, unknown }: Coverage): string {
  const rest = [
    ...(failing > 0 ? [`${failing} fail`] : []),
    ...(waived > 0 ? [`${waived} waived`] : []),
    ...((unknown ?? 0) > 0 ? [`${unknown} unknown`] : []),
  ]
  if (entities === null) return ['number not known', ...rest].join(', ')
  if (entities === 0 && rest.length === 0) return 'none'
  return [`${passing ?? 0} of ${entities} pass`, ...rest].join(', ')
}

/** Parts of a tenant's report after its summary. */
export const parts = {
  period: 'In this period',
  requirements: 'Requirements',
  checks: 'Checks',
  waivers: 'Waivers',
  decisions: 'Decisions of operators',
  findings: 'Findings',
  data: 'Data quality',
  signatures: 'Signatures',
} as const
export type Part = keyof typeof parts
