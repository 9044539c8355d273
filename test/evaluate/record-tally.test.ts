import { expect, it } from 'vitest'
import { RecordTally } from '../../src/evaluate/record-tally.ts'
import { users } from '../../src/resources/users.ts'
import { record } from '../metrics/support/records.ts'

it('counts records by the values of their fields, and those of ever new values as one group', () => {
  const tally = new RecordTally(users)
  for (let n = 0; n < 1500; n++) {
    const state = n % 3 === 0 ? null : `${n}`
    tally.add(record(`${n}`, { state, mfaStatus: n % 2 === 0, mfaAction: false }))
  }
  const { fields, groups } = tally.result()
  const ofNull = groups.filter(({ values }) => values[fields.indexOf('state')] === null)
  expect(ofNull.map(({ count }) => count)).toEqual([250, 250])
  expect(groups).toHaveLength(1001)
  expect(groups.at(-1)).toEqual({ values: fields.map(() => '(other)'), count: 2 })
  expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(1500)
})
