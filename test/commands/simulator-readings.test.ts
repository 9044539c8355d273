import { expect, it } from 'vitest'
import { describeReadings, readReadings } from '../../src/commands/support/simulator-readings.ts'
import { defaultReadings } from '../../src/simulator/readings.ts'

it.each([
  ['badPageSize=explode', 'Reading badPageSize "explode": expected one of clamp, reject'],
  ['timestamps=iso', 'Reading timestamps "iso": expected one of z, z7, no-offset, offset'],
  ['errorShape=5', 'Reading errorShape: expected one of object, array, string, nested'],
  ['cursorKind={"users":"page"}', 'Reading cursorKind of users "page": expected one of keyset, offset'],
  ['cursorKind={"user":"offset"}', 'Unknown feed of reading cursorKind "user"; did you mean users?'],
  ['cursorKind=[]', 'Reading cursorKind: expected a JSON object'],
  ['defaultPageSize={"users":"many"}', 'Reading defaultPageSize of users: expected a number'],
  ['unknownFields=perhaps', 'Reading unknownFields: expected a boolean'],
  ['defaultPageSize={"users":0}', 'Reading defaultPageSize: expected whole numbers, 1 or more'],
  ['maxPageSize={"documents":1.5}', 'Reading maxPageSize: expected whole numbers, 1 or more'],
  ['tokenHeader', 'Reading tokenHeader: expected tokenHeader=VALUE'],
  ['tokenHeader=', 'Reading tokenHeader: expected the name of a header that can carry the token'],
  ['tokenHeader=null', 'Reading tokenHeader: expected the name of a header that can carry the token'],
  ['tokenHeader=Host', 'Reading tokenHeader: expected the name of a header that can carry the token'],
  ['tokenScheme=two words', 'Reading tokenScheme: expected one word, or nothing'],
  ['pageSizeParameter=', 'Reading pageSizeParameter: expected the name of a parameter, or null for none'],
  ['absentCursor=true', 'Reading absentCursor: expected one of null, empty, missing'],
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

it('describes every reading with its values and its default', () => {
  const lines = describeReadings().split('\n')
  expect(lines.map((line) => /^ {2}(\w+)=/.exec(line)?.[1])).toEqual(Object.keys(defaultReadings))
  expect(lines).toContain('  badPageSize=clamp|reject (clamp)')
  expect(lines).toContain('  maxPageSize={"FEED":NUMBER} (users 200, documents 200, apiClients 100)')
  expect(lines).toContain('  apiClientsPageSizeParameter=NAME|null (null)')
})
