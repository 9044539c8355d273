import { onTestFinished } from 'vitest'
import type { TestPostgres } from '../../../support/postgres.ts'

let roles = 0

/** A role of the server without any right, for the length of a test. */
export function testRole({ query }: Pick<TestPostgres, 'query'>): string {
  const role = `reader_${process.pid}_${++roles}`
  query(`create role ${role} nologin`)
  onTestFinished(() => {
    query(`drop owned by ${role}`)
    query(`drop role ${role}`)
  })
  return role
}
