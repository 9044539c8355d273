import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  checkStatuses,
  type DecidedStatus,
  decideStatus,
  type InputQuality,
  type StatusInput,
} from '../../src/model/check-status.ts'
import { unknownReasons } from '../../src/model/reasons.ts'

const sound: InputQuality = {
  resource: 'users',
  off: false,
  everComplete: true,
  former: false,
  blocked: null,
  partial: [],
  clock: 'agrees',
}
const off = { ...sound, off: true }
const stale: InputQuality = { ...sound, blocked: 'stale' }
const never: InputQuality = { ...sound, everComplete: false, blocked: 'never' }
const quarantined: InputQuality = { ...sound, partial: ['quarantined'] }
const held: InputQuality = { ...sound, partial: ['shrink_held'] }
const ahead: InputQuality = { ...sound, clock: 'ahead' }
const unreadable: InputQuality = { ...sound, clock: 'unknown' }
const byTime = { timeBased: true }

const fails: DecidedStatus = { status: 'fail', reason: null }
const passes: DecidedStatus = { status: 'pass', reason: null }
const nothing: DecidedStatus = { status: 'not_applicable', reason: null }
const ambiguous: DecidedStatus = { status: 'unknown', reason: 'ambiguous' }

it.each<[string, DecidedStatus, InputQuality[], Partial<StatusInput>, string]>([
  ['a resource switched off before everything', fails, [stale, off], {}, 'not_applicable null'],
  ['the first blocked input', passes, [sound, never, stale], {}, 'unknown never'],
  ['a failure before partial data', fails, [quarantined, ahead], byTime, 'fail null'],
  ['partial data before what could not be evaluated', ambiguous, [quarantined], {}, 'unknown quarantined'],
  ['the first partial input', passes, [sound, held, quarantined], {}, 'unknown shrink_held'],
  ['partial data before not applicable', nothing, [quarantined], {}, 'unknown quarantined'],
  ['not applicable in reliable data', nothing, [ahead], byTime, 'not_applicable null'],
  ['a pass that no clock decides', passes, [ahead], {}, 'pass null'],
  ['a pass that does not need the unknown server time', passes, [unreadable], {}, 'pass null'],
])('puts %s', (_case, found, inputs, more, expected) => {
  const { status, reason } = decideStatus({ found, inputs, timeBased: false, ...more })
  expect(`${status} ${reason}`).toBe(expected)
})

const reason = fc.constantFrom(...unknownReasons)
const input: fc.Arbitrary<InputQuality> = fc.record({
  resource: fc.constantFrom('users', 'roles'),
  off: fc.boolean(),
  everComplete: fc.boolean(),
  former: fc.boolean(),
  blocked: fc.option(reason),
  partial: fc.array(reason, { maxLength: 2 }),
  clock: fc.constantFrom('agrees', 'ahead', 'behind', 'unknown'),
})
const found: fc.Arbitrary<DecidedStatus> = fc.oneof(
  fc.constantFrom(fails, passes, nothing),
  reason.map((why) => ({ status: 'unknown' as const, reason: why })),
)
const question: fc.Arbitrary<StatusInput> = fc.record({
  found,
  inputs: fc.array(input, { minLength: 1, maxLength: 3 }),
  timeBased: fc.boolean(),
})

it('always decides a status, with a reason only when it is unknown', () => {
  fc.assert(
    fc.property(question, (asked) => {
      const decided = decideStatus(asked)
      return checkStatuses.includes(decided.status) && (decided.status === 'unknown') === (decided.reason !== null)
    }),
  )
})

it('passes only a passing result whose inputs are enabled, usable and complete', () => {
  fc.assert(
    fc.property(question, (asked) => {
      if (decideStatus(asked).status !== 'pass') return true
      const isSound = asked.inputs.every((one) => !one.off && one.blocked === null && one.partial.length === 0)
      return isSound && asked.found.status === 'pass'
    }),
  )
})

it('keeps a stored status while nothing changes, and never turns another status into a pass', () => {
  fc.assert(
    fc.property(question, question, (then, later) => {
      const stored = decideStatus(then)
      const again = decideStatus({ ...then, found: stored })
      const aged = decideStatus({ ...later, found: stored })
      return (aged.status !== 'pass' || stored.status === 'pass') && JSON.stringify(again) === JSON.stringify(stored)
    }),
  )
})
