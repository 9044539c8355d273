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

it('is right whatever quotes, backslashes, colons and spaces names and values consist of', () => {
  const parts = [':', '"', '\\', ' ', 'a']
  let texts = ['']
  for (let length = 0; length < 4; length++) texts = ['', ...texts.flatMap((text) => parts.map((part) => part + text))]
  for (const text of new Set(texts)) {
    for (const space of [undefined, 1, '\t']) {
      expect(repeats(JSON.stringify({ [text]: text, b: [text, { [text]: 1 }] }, null, space))).toBe(false)
    }
    const quoted = JSON.stringify(text)
    expect(repeats(`{"x":${quoted},"y":{${quoted} : 1,${quoted}:${quoted}}}`)).toBe(true)
  }
})
