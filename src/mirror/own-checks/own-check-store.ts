import { and, eq, sql } from 'drizzle-orm'
import type { FindingStore } from '../port.ts'
import { checkProblems } from '../schema/findings.ts'
import type { Database, Operations } from '../sqlite/database.ts'
import { ask } from './ask.ts'
import type { OwnQuery } from './question.ts'

export function ownCheckStore(
  database: Database,
): Operations<Pick<FindingStore, 'ask' | 'checkProblems' | 'noteProblem'>> {
  const { orm, raw } = database
  const of = (tenantId: number, check: string) =>
    and(eq(checkProblems.tenantId, tenantId), eq(checkProblems.check, check))
  const find = orm
    .select({ problem: checkProblems.problem })
    .from(checkProblems)
    .where(
      and(eq(checkProblems.tenantId, sql.placeholder('tenantId')), eq(checkProblems.check, sql.placeholder('check'))),
    )
    .prepare()
  const ofTenant = orm
    .select()
    .from(checkProblems)
    .where(eq(checkProblems.tenantId, sql.placeholder('tenantId')))
    .prepare()
  const put = raw.prepare(
    `insert into check_problems (tenant_id, "check", problem) values (?, ?, ?)
     on conflict (tenant_id, "check") do update set problem = excluded.problem`,
  )
  return {
    ask: (tenantId, query, signal) => database.run(() => ask(query, { file: raw.name, tenantId }, signal)),
    noteProblem: (tenantId, check, problem) =>
      database.run(() => {
        const known = find.get({ tenantId, check })?.problem ?? null
        if (known === problem) return
        database.transact('nothing', () => {
          if (problem === null) orm.delete(checkProblems).where(of(tenantId, check)).run()
          else put.run(tenantId, check, problem)
        })
      }),
    checkProblems: (tenantId) =>
      database.run(() => new Map(ofTenant.all({ tenantId }).map(({ check, problem }) => [check, problem]))),
  }
}

export async function tryQuery(query: OwnQuery): Promise<string | null> {
  const answer = await ask(query, 'empty')
  return answer.kind === 'failed' ? answer.problem : null
}
