import { expect, it } from 'vitest'
import { ownChecks } from '../../../src/checks/own/own-check.ts'
import type { OwnCheck } from '../../../src/config/own-checks.ts'
import type { NoAnswer, OwnAnswer, OwnQueries } from '../../../src/evaluate/own-query.ts'
import { minuteMs } from '../../../src/model/time.ts'
import { emptyWorld, evaluate } from '../../evaluate/support/evaluating.ts'
import { readInFull } from '../../support/read-in-full.ts'
import { now } from '../support/facts.ts'

const written: OwnCheck = {
  ...{ id: 'my-check', file: 'my.sql', title: 'All is well', severity: 'high', inputs: ['roles'] },
  ...{ maxAgeMs: null, entity: 'role', frameworks: [], description: null, risk: null, remediation: null },
  ...{ query: 'select 1', timeBased: false },
}

async function failedOnce() {
  const world = await emptyWorld()
  const timeouts: number[] = []
  let answer: OwnAnswer | NoAnswer = { kind: 'failed', problem: 'it takes longer than 10 s (ownChecks.timeoutSeconds)' }
  const ownQueries: OwnQueries = {
    async ask(_store, _tenantId, { timeoutMs }) {
      timeouts.push(timeoutMs)
      return answer
    },
  }
  const evaluated = async (at: number, timeoutMs = 10_000) => {
    const catalogue = ownChecks({ folder: 'own', timeoutMs, maxRows: 100, checks: [written] })
    await evaluate(world, { catalogue, ownQueries, at, currentForMs: 15 * minuteMs })
    const state = await world.state('my-check')
    return `${state?.status} ${state?.reason}`
  }
  expect(await evaluated(now)).toBe('unknown check_failed')
  answer = { kind: 'answered', ok: 3, alarms: [], errors: [], skipped: [] }
  return { world, evaluated, timeouts }
}

// docs/own-checks.md: "It runs again after the next read of an input, or a reload."
it('runs a failed query again after the next read of its input', async () => {
  const { world, evaluated } = await failedOnce()
  // A full sync of roles that finds nothing new: the version of the records stays.
  await readInFull(world.store, world.tenantId, 'roles', [], now + 30 * minuteMs)
  expect(await evaluated(now + 31 * minuteMs)).toBe('pass null')
})

it('runs a failed query again after a reload that gives it more time', async () => {
  const { evaluated, timeouts } = await failedOnce()
  expect(await evaluated(now + minuteMs, 60_000)).toBe('pass null')
  expect(timeouts).toEqual([10_000, 60_000])
})

it('gives open findings the severity that the file of the check states after a reload', async () => {
  const world = await emptyWorld()
  const ownQueries: OwnQueries = {
    ask: async () => ({ kind: 'answered', ok: 0, alarms: [['7', 'It fails.']], errors: [], skipped: [] }),
  }
  const evaluated = async (at: number, severity: OwnCheck['severity']) => {
    const catalogue = ownChecks({ folder: 'own', timeoutMs: 10_000, maxRows: 100, checks: [{ ...written, severity }] })
    await evaluate(world, { catalogue, ownQueries, at, currentForMs: 15 * minuteMs })
    return (await world.findings()).map((finding) => finding.severity)
  }
  expect(await evaluated(now, 'low')).toEqual(['low'])
  expect(await evaluated(now + minuteMs, 'critical')).toEqual(['critical'])
})
