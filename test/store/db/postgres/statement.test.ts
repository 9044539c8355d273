import { expect, it } from 'vitest'
import { Statements, translate } from '../../../../src/store/db/postgres/statement.ts'

it('numbers positional parameters in their order', () => {
  expect(translate('select ? where a = ?')).toMatchObject({ text: 'select $1 where a = $2', slots: [0, 1] })
})

it('gives a name one number, wherever it occurs', () => {
  expect(translate('(?, @at, @by, @at)')).toMatchObject({ text: '($1, $2, $3, $2)', slots: [0, 'at', 'by'] })
})

it('leaves strings, quoted names, comments and casts alone', () => {
  const text = `select '?''@a' as "?@b" -- ? @c\n, @at::bigint`
  expect(translate(text)).toMatchObject({ text: `select '?''@a' as "?@b" -- ? @c\n, $1::bigint`, slots: ['at'] })
})

it('binds positional parameters first and named ones from the object after them', () => {
  const { text, values } = new Statements().queryOf('(?, @b, ?, @a)', [1, 2, { a: 'x', b: 'y' }], 'objects')
  expect({ text, values }).toEqual({ text: '($1, $2, $3, $4)', values: [1, 'y', 2, 'x'] })
})

it('refuses a parameter without a value', () => {
  const statements = new Statements()
  expect(() => statements.queryOf('(?, @a)', [1, {}], 'objects')).toThrow('No value for parameter a of: ($1, $2)')
  expect(() => statements.queryOf('(?, @a)', [], 'objects')).toThrow('No value for parameter 0')
})

it('names equal texts alike, however their rows are returned, and other texts otherwise', () => {
  const nameOf = (text: string, mode: 'arrays' | 'objects') => new Statements().queryOf(text, [], mode).name
  expect(nameOf('select 1', 'arrays')).toBe(nameOf('select 1', 'objects'))
  expect(nameOf('select 1', 'arrays')).not.toBe(nameOf('select 2', 'arrays'))
})
