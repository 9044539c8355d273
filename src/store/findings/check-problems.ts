import type { Database } from '../database.ts'
import { writeWhereDue } from '../write-where-due.ts'
import type { FindingStore } from './finding-port.ts'

interface CheckProblem {
  readonly check: string
  readonly problem: string
}

export function checkProblemStore(database: Database): Pick<FindingStore, 'checkProblems' | 'noteProblem'> {
  const find = database.prepareValues<[number, string], string>(
    'select problem from check_problems where tenant_id = ? and "check" = ?',
  )
  const ofTenant = database.prepare<[number], CheckProblem>(
    'select "check", problem from check_problems where tenant_id = ? order by "check"',
  )
  const drop = database.prepare<[number, string]>('delete from check_problems where tenant_id = ? and "check" = ?')
  const put = database.prepare<[number, string, string]>(
    `insert into check_problems (tenant_id, "check", problem) values (?, ?, ?)
     on conflict (tenant_id, "check") do update set problem = excluded.problem`,
  )
  return {
    noteProblem: (tenantId, check, problem) =>
      writeWhereDue(database, 'nothing', async (tx) => {
        const known = (await find.get(tx, tenantId, check)) ?? null
        if (known === problem) return null
        return () => (problem === null ? drop.run(tx, tenantId, check) : put.run(tx, tenantId, check, problem))
      }),
    checkProblems: (tenantId) =>
      database.read(async (tx) => {
        return new Map((await ofTenant.all(tx, tenantId)).map(({ check, problem }) => [check, problem] as const))
      }),
  }
}
