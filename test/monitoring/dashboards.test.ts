import { expect, it } from 'vitest'
import { checks } from '../../src/checks/index.ts'
import { defaultMonitoringInput } from '../../src/commands/support/monitoring-input.ts'
import { dashboardIds, sqlDashboardIds } from '../../src/monitoring/dashboard-ids.ts'
import { dashboards, renderDashboard, sqlDashboards } from '../../src/monitoring/dashboards/render.ts'

const input = defaultMonitoringInput()

it.each(dashboardIds)('describes every panel of %s, with a unit and a query', (id) => {
  const panels = dashboards[id](input).rows.flatMap((row) => row.panels)
  expect(panels.length).toBeGreaterThan(8)
  for (const { title, description, unit, queries } of panels) {
    expect(title).toMatch(/^\S/)
    expect(description).toMatch(/[.`]$/)
    expect(unit).toMatch(/^[a-z]+$/)
    expect(queries.length).toBeGreaterThan(0)
  }
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length)
})

it.each(dashboardIds)('writes %s so that any Grafana can import it', (id) => {
  const board = renderDashboard(id, input)
  expect(board.uid).toBe(`tenantwatch-${id}`)
  expect(board.editable).toBe(false)
  expect(board.templating?.list?.map(({ name }) => name)).toEqual(['datasource', 'tenant', 'page'])
  const panels = board.panels ?? []
  expect(new Set(panels.map((panel) => panel.id)).size).toBe(panels.length)
  const shown = panels.filter((panel) => panel.type !== 'row')
  for (const panel of shown) {
    expect(panel).toHaveProperty('datasource.uid', '$' + '{datasource}')
    expect(panel).toHaveProperty('fieldConfig.defaults.unit')
  }
  const width = shown.map((panel) => (panel.gridPos?.x ?? 0) + (panel.gridPos?.w ?? 0))
  expect(Math.max(...width)).toBeLessThanOrEqual(24)
})

it.each(dashboardIds)('shows no number in %s without a daemon, except the number of daemons that answer', (id) => {
  const panels = dashboards[id](input).rows.flatMap((row) => row.panels)
  const exprs = panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))
  expect(exprs.filter((expr) => expr.includes('vector(') && !expr.startsWith('sum(up{'))).toEqual([])
})

it.each([...dashboardIds, ...sqlDashboardIds])('overlaps no panels of %s', (id) => {
  const places = (renderDashboard(id, input).panels ?? []).map(({ gridPos }) => gridPos)
  const taken = new Set<string>()
  for (const { x, y, w, h } of places.filter((place) => place !== undefined)) {
    for (let column = x; column < x + w; column++)
      for (let row = y; row < y + h; row++) {
        expect(taken.has(`${column} ${row}`)).toBe(false)
        taken.add(`${column} ${row}`)
      }
  }
})

it.each(sqlDashboardIds)('reads PostgreSQL in every panel of %s, of the selected tenants only', (id) => {
  const board = renderDashboard(id, input)
  expect(board).toMatchObject({ uid: `tenantwatch-${id}`, editable: false })
  expect(board.templating?.list?.map(({ name }) => name)).toEqual(['database', 'tenant', 'page'])
  const shown = (board.panels ?? []).filter((panel) => panel.type !== 'row')
  const dataSource = { type: 'grafana-postgresql-datasource', uid: '$' + '{database}' }
  for (const panel of shown) {
    expect(panel).toMatchObject({ datasource: dataSource, description: expect.stringMatching(/[.`]$/) })
    const { targets = [] } = panel as { readonly targets?: readonly { readonly rawSql: string }[] }
    expect(targets).toMatchObject([{ refId: 'A', datasource: dataSource, format: 'table', rawQuery: true }])
    for (const { rawSql } of targets) expect(rawSql).toContain('tenant in ($tenant)')
  }
  expect(JSON.stringify(board)).not.toContain('prometheus')
})

it('knows the checks that the dashboard over the views names', () => {
  const named = sqlDashboardIds.flatMap((id) => {
    const panels = sqlDashboards[id]().rows.flatMap((row) => row.panels)
    return panels.flatMap(({ queries }) => queries.flatMap(({ expr }) => expr.match(/(?<="check" = ')[a-z-]+/g) ?? []))
  })
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !checks.some(({ id }) => id === name))).toEqual([])
})
