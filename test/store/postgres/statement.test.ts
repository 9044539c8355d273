import { expect, it } from 'vitest'
import { Statements } from '../../../src/store/postgres/statement.ts'

it('has one statement for a text and a form of its rows, under a name of its own', () => {
  const statements = new Statements()
  const objects = statements.of('select ?', 'objects')
  expect(statements.of('select ?', 'objects')).toBe(objects)
  const others = [statements.of('select ?', 'arrays'), statements.of('select ?, 1', 'objects')]
  expect(new Set([objects, ...others].map(({ name }) => name)).size).toBe(3)
})
