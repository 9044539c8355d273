import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { dashboardIds, sqlDashboardIds } from '../../src/monitoring/shipped.ts'
import { board, panelsOf } from './support/shipped.ts'

const allIds = [...dashboardIds, ...sqlDashboardIds]

it.each(dashboardIds)('describes every panel of %s, with a unit and a query', (id) => {
  const panels = panelsOf(id)
  expect(panels.length).toBeGreaterThan(8)
  for (const { title, description, fieldConfig, targets } of panels) {
    expect(title).toMatch(/^\S/)
    expect(description).toMatch(/[.`]$/)
    expect(fieldConfig.defaults.unit).toMatch(/^[a-z]+$/)
    expect(targets.length).toBeGreaterThan(0)
  }
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
})

it.each(dashboardIds)('writes %s so that any Grafana can import it', (id) => {
  const { uid, editable, templating, panels } = board(id)
  expect([uid, editable]).toEqual([`tenantwatch-${id}`, false])
  expect(templating.list.map(({ name }) => name)).toEqual(['datasource', 'tenant', 'page'])
  // Without ids every import assigns new ones, and links to panels break.
  expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length)
  for (const panel of panelsOf(id)) expect(panel.datasource.uid).toBe('$' + '{datasource}')
})

it.each(dashboardIds)('shows no number in %s without a daemon, except the number of daemons', (id) => {
  const exprs = panelsOf(id).flatMap(({ targets }) => targets.map(({ expr }) => expr))
  expect(exprs.filter((expr) => expr.includes('vector(') && !/^(sum|count)\(up\{/.test(expr))).toEqual([])
})

it.each(allIds)('overlaps no panels of %s, on a grid of 24 columns', (id) => {
  const taken = new Set<string>()
  for (const { x, y, w, h } of board(id).panels.map(({ gridPos }) => gridPos)) {
    expect(x + w).toBeLessThanOrEqual(24)
    for (let column = x; column < x + w; column++)
      for (let row = y; row < y + h; row++) {
        expect(taken.has(`${column} ${row}`)).toBe(false)
        taken.add(`${column} ${row}`)
      }
  }
})

it.each(sqlDashboardIds)(
  'reads records of %s from PostgreSQL, states from the metrics, of the selected tenants only',
  (id) => {
    const { uid, editable, templating } = board(id)
    expect([uid, editable]).toEqual([`tenantwatch-${id}`, false])
    expect(templating.list.map(({ name }) => name)).toEqual(['database', 'datasource', 'tenant', 'page'])
    const database = { type: 'grafana-postgresql-datasource', uid: '$' + '{database}' }
    const panels = panelsOf(id)
    expect(panels.every(({ description }) => /[.`]$/.test(String(description)))).toBe(true)
    const [tables, states] = [true, false].map((isSql) =>
      panels.filter(({ datasource }) => (datasource.uid === database.uid) === isSql),
    )
    expect(states?.map(({ title }) => title)).toContain('Checks that cannot be evaluated')
    for (const { targets } of states ?? []) for (const { expr } of targets) expect(expr).toContain('{tenant=~"$tenant"')
    expect(tables?.length).toBeGreaterThan(3)
    for (const { targets } of tables ?? []) {
      expect(targets).toMatchObject([{ refId: 'A', datasource: database, format: 'table', rawQuery: true }])
      for (const { rawSql } of targets) expect(rawSql).toContain('tenant in ($tenant)')
    }
  },
)

it('knows the checks that the dashboard over the views names', () => {
  const named = sqlDashboardIds.flatMap((id) =>
    panelsOf(id).flatMap(({ targets }) =>
      targets.flatMap(({ rawSql = '' }) => rawSql.match(/(?<="check" = ')[a-z-]+/g) ?? []),
    ),
  )
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !checks.some(({ id }) => id === name))).toEqual([])
})
