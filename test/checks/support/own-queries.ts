import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { SandboxQueries } from '../../../src/checks/own/sandbox.ts'
import type { OwnQuery } from '../../../src/evaluate/own-query.ts'
import { resourceNames } from '../../../src/model/resource-names.ts'
import { now } from './facts.ts'

export function sandboxQueries(memoryLimit?: number): SandboxQueries {
  const queries = new SandboxQueries(memoryLimit)
  onTestFinished(() => queries[Symbol.asyncDispose]())
  return queries
}

export function ownQuery(text: string, more: Partial<OwnQuery> = {}): OwnQuery {
  return { text, inputs: resourceNames, now, tenant: 'acme', timeoutMs: 60_000, maxRows: 1000, ...more }
}

/** Returns `alarm` for each selected `entity`. */
export function alarmQuery(entity: string, from: string): string {
  return `select ${entity} as entity, 'alarm' as status, 'seen' as reason ${from}`
}

export const endless =
  'from (with recursive t(x) as (select 1 union all select x + 1 from t) select count(*) as n from t)'

/** Processes can only be listed where the system has `/proc`. */
export const hasProc = existsSync('/proc/self/task')

/** Ids of the sandbox processes that a process started. */
export function sandboxesOf(parent: number): number[] {
  const tasks = existsSync(`/proc/${parent}/task`) ? readdirSync(`/proc/${parent}/task`) : []
  const children = tasks.flatMap((task) => textOf(`/proc/${parent}/task/${task}/children`).split(' ').filter(Boolean))
  return children.map(Number).filter((pid) => textOf(`/proc/${pid}/cmdline`).includes('--permission'))
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}

/** 0 for a process that has ended. */
export function cpuTicksOf(pid: number): number {
  const [, rest = ''] = textOf(`/proc/${pid}/stat`).split(') ')
  const fields = rest.split(' ')
  return fields[0] === 'Z' ? 0 : Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
}
