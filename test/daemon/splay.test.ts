import { expect, it } from 'vitest'
import { splayMs } from '../../src/daemon/jobs.ts'
import { hourMs, minuteMs } from '../../src/model/durations.ts'

const jobs = (tenants: number) => Array.from({ length: tenants }, (_, i) => `tenant-${i} users incremental sync`)

it('leaves few tenants at their ticks', () => {
  expect(jobs(10).map((job) => splayMs(job, 10, hourMs))).toEqual(Array.from({ length: 10 }, () => 0))
})

it('lets no minute carry the incremental syncs of a thousand tenants', () => {
  const delays = jobs(1000).map((job) => splayMs(job, 1000, 5 * minuteMs))
  const byMinute = Object.values(Object.groupBy(delays, (delay) => Math.floor(delay / minuteMs)))
  expect(byMinute).toHaveLength(3)
  expect(Math.max(...byMinute.map((one) => one?.length ?? 0))).toBeLessThan(460)
  expect(Math.max(...delays)).toBeLessThan(2.5 * minuteMs)
})

it('spreads full syncs by the hour over as many half seconds as there are tenants, or up to twice that', () => {
  const delays = jobs(600).map((job) => splayMs(job, 600, hourMs))
  expect(Math.max(...delays)).toBeLessThan(512_000)
  expect(Math.max(...delays)).toBeGreaterThan(450_000)
  const bySecond = Object.values(Object.groupBy(delays, (delay) => Math.floor(delay / 1000)))
  expect(Math.max(...bySecond.map((one) => one?.length ?? 0))).toBeLessThan(9)
})

it('keeps the place of a job, also when a tenant is added', () => {
  expect(splayMs('acme users full sync', 700, hourMs)).toBe(splayMs('acme users full sync', 701, hourMs))
  expect(splayMs('acme users full sync', 700, hourMs)).not.toBe(splayMs('acme users incremental sync', 700, hourMs))
})
