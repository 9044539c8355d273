import { expect, it } from 'vitest'
import { readReadings } from '../../src/commands/support/simulator-readings.ts'

it.each([
  ['badPageSize=explode', 'Unknown reading badPageSize: want one of clamp, reject'],
  ['timestamps=iso', 'Unknown reading timestamps: want one of z, z7, no-offset, offset'],
  ['errorShape=5', 'Reading errorShape: want one of object, array, string, nested'],
  ['cursorKind={"users":"page"}', 'Unknown reading cursorKind of users: want one of keyset, offset'],
  [
    'cursorKind={"user":"offset"}',
    'Unknown feed of reading cursorKind: want one of users, documents, apiClients; did you mean users?',
  ],
  ['cursorKind=[]', 'Reading cursorKind: want a JSON object'],
  ['defaultPageSize={"users":"many"}', 'Reading defaultPageSize of users: want a number'],
  ['unknownFields=perhaps', 'Reading unknownFields: want a boolean'],
  ['absentCursor=true', 'Reading absentCursor: want one of null, empty, missing'],
])('refuses the reading %s and names the known ones', (pair, message) => {
  expect(() => readReadings([pair])).toThrow(message)
})

it('takes every word that a reading has, and any text for a name', () => {
  const pairs = [
    'badPageSize=reject',
    'cursorKind={"users":"offset"}',
    'tokenHeader=x-api-key',
    'pageSizeParameter=null',
  ]
  expect(readReadings([...pairs, 'absentCursor=null', 'unknownFields'])).toEqual({
    badPageSize: 'reject',
    cursorKind: { users: 'offset' },
    tokenHeader: 'x-api-key',
    pageSizeParameter: null,
    absentCursor: 'null',
    unknownFields: true,
  })
})
