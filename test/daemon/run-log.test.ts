import { expect, it } from 'vitest'
import { createRunLog } from '../../src/daemon/run-log.ts'
import { type Log, silentLog } from '../../src/model/log.ts'
import type { RunResult } from '../../src/model/run-result.ts'
import { hourMs, minuteMs } from '../../src/model/time.ts'

const counts = { created: 2, updated: 0, unchanged: 1, removed: 0, quarantined: 0 }
const success: RunResult = {
  tenant: 'acme',
  resource: 'users',
  mode: 'full',
  outcome: 'success',
  reason: null,
  message: null,
  hint: null,
  counts,
  pages: 1,
  answered: null,
  durationMs: 5,
  stored: true,
  retryAt: null,
  tokenRefused: false,
}
const failure = (reason: RunResult['reason'], more: Partial<RunResult> = {}): RunResult => ({
  ...success,
  outcome: 'failure',
  reason,
  message: 'It failed',
  ...more,
})

/** Lines at info and above: level, message, resource, reason. */
function logged() {
  const lines: string[] = []
  const write = (level: string) => (fields: object, message: string) => {
    const { resource = '', reason = '' } = fields as Record<string, unknown>
    lines.push([level, message, resource, reason].filter((part) => part !== '').join(' '))
  }
  const log: Log = { ...silentLog(), info: write('info'), warn: write('warn'), child: () => log }
  const runLog = createRunLog(log)
  return {
    /** What the runs add to the log. */
    after(at: number, ...results: readonly RunResult[]): readonly string[] {
      for (const result of results) runLog.ended(result, at)
      return lines.splice(0)
    },
  }
}

it('logs one line for a cause that fails every resource, again after an hour, and one when it is over', () => {
  const { after } = logged()
  const all = [failure('network'), failure('network', { resource: 'roles' })]
  expect(after(0, ...all)).toEqual(['warn Run failed users network'])
  expect(after(59 * minuteMs, ...all)).toEqual([])
  expect(after(hourMs, ...all)).toEqual(['warn Run failed users network'])
  expect(after(hourMs, success)).toEqual([])
  expect(after(hourMs, { ...success, resource: 'roles' })).toContain('info Runs succeed again roles network')
  expect(after(hourMs, ...all)).toEqual(['warn Run failed users network'])
})

it('logs a line for each resource whose own cause it is, and for each new cause', () => {
  const { after } = logged()
  const denied = failure('missing_permission')
  expect(after(0, denied, { ...denied, resource: 'roles' })).toEqual([
    'warn Run failed users missing_permission',
    'warn Run failed roles missing_permission',
  ])
  expect(after(1, failure('timeout'))).toEqual(['warn Run failed users timeout'])
  expect(after(2, success)).toEqual(['info Runs succeed again users timeout'])
})
