import { type Installation, type Rule, shippedGroups } from '../../../src/monitoring/rules.ts'
import { type DashboardId, dashboard, type SqlDashboardId } from '../../../src/monitoring/shipped.ts'

/** An installation that puts nothing into the shipped rules but its links. */
export const plain: Installation = {
  job: 'tenantwatch',
  links: {
    runbooks: 'https://runbooks.example/{name}.md',
    runbooksWhileDown: 'https://runbooks.example/{name}.md',
    grafana: 'https://grafana.example',
    page: null,
    portal: null,
  },
  labels: {},
  annotations: {},
  severities: {},
}

export const shippedRules: readonly Rule[] = shippedGroups().flatMap(({ rules }) => rules)

export const shippedAlerts = shippedRules.filter(({ alert }) => alert !== undefined)

export const alertNames: readonly string[] = [...new Set(shippedAlerts.map(({ alert = '' }) => alert))]

export interface Panel {
  readonly id: number
  readonly title: string
  readonly type: string
  readonly description: string
  readonly datasource: { readonly type: string; readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig: { readonly defaults: { readonly unit: string; readonly noValue?: string } }
  readonly targets: readonly { readonly refId: string; readonly expr: string; readonly rawSql: string }[]
}

export interface Board {
  readonly uid: string
  readonly editable: boolean
  readonly annotations: { readonly list?: readonly { readonly name: string; readonly expr: string }[] }
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] }
  readonly panels: readonly Panel[]
}

export function board(id: DashboardId | SqlDashboardId): Board {
  return JSON.parse(dashboard(id)) as Board
}

/** The panels of a dashboard without the titles of its rows. */
export function panelsOf(id: DashboardId | SqlDashboardId): readonly Panel[] {
  return board(id).panels.filter(({ type }) => type !== 'row')
}
