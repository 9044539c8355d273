import { expect, it } from 'vitest'
import * as z from 'zod'
import { unknownKeys } from '../../src/config/checks.ts'

const inner = z.object({ a: z.string() })

it.each([
  ['an object', z.object({ x: inner }), { x: { b: 1 } }, [['x', 'b']]],
  ['a strict object', z.strictObject({ a: z.string() }), { b: 1 }, [['b']]],
  ['a list', z.array(inner), [{ a: '' }, { b: 1 }], [[1, 'b']]],
  ['a record', z.record(z.string(), inner), { any: { b: 1 } }, [['any', 'b']]],
  ['something optional', inner.optional(), { b: 1 }, [['b']]],
  ['something nullable', inner.nullable(), { b: 1 }, [['b']]],
  ['a default', inner.default({ a: '' }), { b: 1 }, [['b']]],
  ['a pipe', inner.transform((value) => value), { b: 1 }, [['b']]],
  ['something read-only', inner.readonly(), { b: 1 }, [['b']]],
  ['a choice', z.union([z.string(), inner]), { b: 1 }, [['b']]],
  ['a choice of a text', z.union([inner, z.string()]), 'text', []],
  ['an open object', z.looseObject({}), { b: 1 }, []],
  ['the prototype', inner, JSON.parse('{"__proto__": 1}'), [['__proto__']]],
])('finds the unknown keys of %s', (_name, schema, value, expected) => {
  expect(unknownKeys(schema, value).map(({ path }) => path)).toEqual(expected)
})
