import { expect, it } from 'vitest'
import { translate } from '../../../src/store/postgres/placeholders.ts'
import { PostgresStatement } from '../../../src/store/postgres/statement.ts'

it('numbers positional parameters in their order', () => {
  expect(translate('select ? where a = ?')).toEqual({ text: 'select $1 where a = $2', slots: [0, 1] })
})

it('gives a name one number, wherever it occurs', () => {
  expect(translate('(?, @at, @by, @at)')).toEqual({ text: '($1, $2, $3, $2)', slots: [0, 'at', 'by'] })
})

it('leaves strings, quoted names, comments and casts alone', () => {
  const text = `select '?''@a' as "?@b" -- ? @c\n, @at::bigint`
  expect(translate(text)).toEqual({ text: `select '?''@a' as "?@b" -- ? @c\n, $1::bigint`, slots: ['at'] })
})

it('binds positional parameters first and named ones from the object after them', () => {
  const statement = new PostgresStatement<readonly unknown[], unknown>('(?, @b, ?, @a)', 'one', 'objects')
  const { value } = statement.all(1, 2, { a: 'x', b: 'y' })[Symbol.iterator]().next()
  expect(value).toMatchObject({ params: [1, 'y', 2, 'x'], shape: 'all' })
})

it('refuses a parameter without a value', () => {
  const statement = new PostgresStatement<readonly unknown[], unknown>('(?, @a)', 'one', 'objects')
  expect(() => statement.run(1, {})).toThrow('No value for parameter a of: ($1, $2)')
  expect(() => statement.run()).toThrow('No value for parameter 0')
})
