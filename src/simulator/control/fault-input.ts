import type { EffectKind, FaultEffect } from '../faults/effect.ts'
import type { Fault, FaultMatch } from '../faults/table.ts'
import { tokenNames } from '../seed/tokens.ts'
import { tenantNames } from '../truth.ts'
import { asMembers, asOneOf, ControlError, type Members } from './input.ts'

type FieldType = 'number' | 'string' | 'boolean' | 'object' | 'list' | 'any'

/** A type (`?` = optional), or the allowed words. */
type Member = `${FieldType}${'' | '?'}` | readonly string[]

/** Members of each effect that JSON can represent. */
export const effectMembers: Readonly<Record<Exclude<EffectKind, 'transform'>, Readonly<Record<string, Member>>>> = {
  status: { status: 'number', code: 'string?', message: 'string?', headers: 'object?' },
  body: { body: 'string', status: 'number?', contentType: 'string?', headers: 'object?' },
  html: {},
  delay: { ms: 'number' },
  hang: {},
  reset: { when: ['before', 'unanswered', 'mid'] },
  truncate: { framing: ['content-length', 'chunked', 'close'], bytes: 'number?' },
  drip: { chunkBytes: 'number', everyMs: 'number' },
  'invalid-utf8': {},
  raw: { bytes: 'string' },
  'gzip-bomb': { bytes: 'number' },
  'huge-body': { bytes: 'number' },
  merge: { patch: 'object' },
  set: { path: 'string', value: 'any' },
  empty: {},
  'repeat-page': {},
  'repeat-cursor': {},
  'ignore-cursor': {},
  cached: { ageSeconds: 'number?' },
  'other-tenant': {},
  'patch-records': { patch: 'object' },
  duplicate: { patch: 'object', before: 'boolean?' },
  drop: { ids: 'list' },
  'clock-skew': { ms: 'number' },
}

export const matchMembers: Readonly<Record<keyof FaultMatch, FieldType>> = {
  method: 'string',
  path: 'string',
  token: 'string',
  tenant: 'string',
  page: 'number',
  hasCursor: 'boolean',
  nth: 'number',
  times: 'number',
  probability: 'number',
}

function checkMembers(
  given: Members,
  wanted: Readonly<Record<string, string | readonly string[]>>,
  what: string,
): void {
  for (const name of Object.keys(given)) {
    if (!(name in wanted)) throw new ControlError(400, `${what} has no member ${name}`)
  }
  for (const [name, type] of Object.entries(wanted)) {
    const value = given[name]
    if (typeof type !== 'string') {
      asOneOf(value, type, `${what}.${name}`)
      continue
    }
    if (type === 'any' || (value === undefined && type.endsWith('?'))) continue
    const plain = type.replace('?', '')
    const found = Array.isArray(value) ? 'list' : typeof value
    if (found !== plain || value === null) throw new ControlError(400, `${what}.${name} must be a ${plain}`)
  }
}

function effectFrom(value: unknown): FaultEffect {
  const { kind, ...members } = asMembers(value, 'effect')
  const known = asOneOf(kind, Object.keys(effectMembers) as Exclude<EffectKind, 'transform'>[], 'effect.kind')
  checkMembers(members, effectMembers[known], 'effect')
  // `effectMembers` lists exactly the members of each kind.
  return { kind: known, ...members } as unknown as FaultEffect
}

/** Parses a fault: matcher members and `effect`. Throws a ControlError. */
export function faultFrom(body: Members): Fault {
  const { effect, ...match } = body
  const optional = Object.fromEntries(Object.entries(matchMembers).map(([name, type]) => [name, `${type}?`]))
  checkMembers(match, optional, 'fault')
  if (match['token'] !== undefined) asOneOf(match['token'], tokenNames(), 'token')
  if (match['tenant'] !== undefined) asOneOf(match['tenant'], tenantNames, 'tenant')
  return { ...(match as FaultMatch), effect: effectFrom(effect) }
}
