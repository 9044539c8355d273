import { expect, it } from 'vitest'
import { wireValue } from '../../../src/store/postgres/batch.ts'

it('writes lists in the notation of PostgreSQL, whatever their texts contain', () => {
  expect(wireValue([])).toBe('{}')
  expect(wireValue([1, -2, null])).toBe('{1,-2,null}')
  expect(wireValue(['a', null, '', 'null', '{b,c}', 'é'])).toBe('{"a",null,"","null","{b,c}","é"}')
  expect(wireValue(['a', 'say "b"'])).toBe(String.raw`{"a","say \"b\""}`)
  expect(wireValue(['a', String.raw`\n`])).toBe(String.raw`{"a","\\n"}`)
  for (const text of ['two\nlines', 'a\ttab', '\b\f\r\u0001', '\ud800']) expect(wireValue([text])).toBe(`{"${text}"}`)
  expect(wireValue([null, Buffer.from([0, 255])])).toBe(String.raw`{null,"\\x00ff"}`)
})
