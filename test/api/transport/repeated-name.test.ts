import { expect, it } from 'vitest'
import { repeatsName } from '../../../src/api/transport/repeated-name.ts'

const repeats = (text: string) => repeatsName(text, JSON.parse(text))

it.each([
  '{"a":1,"a":2}',
  '{"data":[{"x":{"a":1 , "a" : 1}}]}',
  '{"a":1,"\\u0061":2}',
  '{"b\\\\":1,"a":1,"a":2}',
  '{"__proto__":1,"__proto__":2}',
  `{"a":[${'['.repeat(50_000)}${']'.repeat(50_000)}],"a":2}`,
])('finds a name that an object has twice: %.40s', (text) => {
  expect(repeats(text)).toBe(true)
})

it.each([
  'null',
  '7',
  '"a\\":"',
  '{"a":{"a":1},"b":[{"a":1},{"a":1}]}',
  '{"a":"{\\"a\\":1,\\"a\\":2}","b\\\\":"\\\\\\":","c\\"":"\\\\"}',
  '{"a":["undefined",null,{}],"__proto__":null}',
  `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
])('finds none where names differ, whatever the values say: %.40s', (text) => {
  expect(repeats(text)).toBe(false)
})
