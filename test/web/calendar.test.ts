import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Expiry, SecretExpiry, WaiverExpiry } from '../../src/model/expiry.ts'
import { calendar } from '../../src/web/calendar.ts'
import { at } from '../metrics/support/posture.ts'

const day = 86_400_000

const secret = (over: Partial<SecretExpiry> = {}): SecretExpiry => ({
  kind: 'secret',
  tenant: 'acme',
  id: '3f0c2b1e-77aa-4f5e-9d11-0c51e7a2b9d4',
  name: 'HR sync',
  role: 'Reader',
  own: false,
  at: at + 5 * day,
  ...over,
})

const waiver = (over: Partial<WaiverExpiry> = {}): WaiverExpiry => ({
  kind: 'waiver',
  tenant: 'acme',
  id: 'W-1',
  check: 'document-name-unique',
  entity: 'canary.pdf',
  owner: 'canary@example.com',
  reason: 'Canary wants both of them',
  state: 'active',
  at: Date.parse('2026-04-30T23:59:59.999Z'),
  ...over,
})

const made = (expiries: readonly Expiry[], { now = at, exposeDetails = true } = {}) =>
  calendar(expiries, now, exposeDetails)

/** The lines of a calendar, unfolded (RFC 5545, 3.1). */
const linesOf = (text: string) => text.replaceAll('\r\n ', '').split('\r\n')

const valuesOf = (text: string, name: string) =>
  linesOf(text).flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1)] : []))

it('has an event for every deadline, at its instant in UTC, in the order of time', () => {
  const text = made([waiver(), secret(), secret({ id: 'old', at: at - day })])
  expect(valuesOf(text, 'DTSTART')).toEqual(['20260313T092653Z', '20260319T092653Z', '20260430T235959Z'])
  expect(valuesOf(text, 'SUMMARY')).toEqual([
    'acme: the secret of API client HR sync expires',
    'acme: the secret of API client HR sync expires',
    'acme: waiver W-1 ends (document-name-unique)',
  ])
  expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true)
})

it('keeps the UID of a deadline, whatever else of it changes, and changes nothing within a day', () => {
  const uid = (deadline: Expiry) => valuesOf(made([deadline]), 'UID')[0]
  const first = uid(secret())
  expect(uid(secret({ name: 'renamed', role: null, own: true, at: at + 300 * day }))).toBe(first)
  const others = [secret({ tenant: 'globex' }), secret({ id: 'W-1' }), waiver()]
  expect(new Set([first, ...others.map(uid)]).size).toBe(4)
  expect(made([secret(), waiver()], { now: at + 3_600_000 })).toBe(made([secret(), waiver()]))
})

it('shows owner, reason and entity of waivers only where details are exposed', () => {
  for (const exposeDetails of [true, false]) {
    const text = made([waiver(), secret()], { exposeDetails }).replaceAll('\r\n ', '')
    expect(text.toLowerCase().includes('canary')).toBe(exposeDetails)
    expect(text).toContain('HR sync')
  }
})

it('escapes texts of the tenant', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('x\r\nEND:VEVENT\r\nBEGIN:VEVENT', '\n', '\\n,;:"', '\u2028', '\u0085', '🚨'.repeat(90), '\ud800'),
  )
  fc.assert(
    fc.property(hostile, hostile, (one, two) => {
      const text = made([
        secret({ id: one, name: two, role: one }),
        waiver({ id: two, entity: one, owner: two, reason: one }),
      ])
      expect(text.isWellFormed()).toBe(true)
      expect(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75 && !/[\r\n]/.test(line))).toBe(true)
      expect(linesOf(text).filter((line) => line !== '' && !/^[A-Z-]+[:;]/.test(line))).toEqual([])
      expect(linesOf(text).filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(2)
      expect(valuesOf(text, 'SUMMARY')).toHaveLength(2)
    }),
    { numRuns: 60 },
  )
})
