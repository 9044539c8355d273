import { expect, it } from 'vitest'
import { readReadings } from '../../src/commands/simulate.ts'
import { UsageError } from '../../src/model/errors.ts'

it.each([
  ['badPageSize=explode', 'badPageSize'],
  ['errorShape=5', 'errorShape'],
  ['cursorKind={"users":"page"}', 'cursorKind.users'],
  ['cursorKind={"user":"offset"}', 'user'],
  ['cursorKind=[]', 'cursorKind'],
  ['defaultPageSize={"users":0}', 'defaultPageSize.users'],
  ['maxPageSize={"documents":1.5}', 'maxPageSize.documents'],
  ['unknownFields=perhaps', 'unknownFields'],
  ['tokenHeader', 'tokenHeader'],
  ['tokenHeader=', 'tokenHeader'],
  ['tokenHeader=Host', 'tokenHeader'],
  ['tokenScheme=two words', 'tokenScheme'],
  ['pageSizeParameter=', 'pageSizeParameter'],
  ['timestamp=z', 'did you mean timestamps?'],
])('refuses the reading %s and names its place', (pair, place) => {
  expect(() => readReadings([pair])).toThrow(UsageError)
  expect(() => readReadings([pair])).toThrow(place)
})

it('takes words, JSON and any text for a name', () => {
  const pairs = ['badPageSize=reject', 'cursorKind={"users":"offset"}', 'tokenHeader=x-api-key', 'unknownFields']
  expect(readReadings([...pairs, 'pageSizeParameter=null'])).toEqual({
    ...{ badPageSize: 'reject', cursorKind: { users: 'offset' }, tokenHeader: 'x-api-key' },
    ...{ unknownFields: true, pageSizeParameter: null },
  })
})
