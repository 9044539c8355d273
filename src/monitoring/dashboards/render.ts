import {
  AnnotationQueryBuilder,
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  TextBoxVariableBuilder,
  VariableRefresh,
  VariableSort,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { type DashboardId, dashboardUid, type SqlDashboardId } from '../dashboard-ids.ts'
import type { MonitoringInput } from '../monitoring.ts'
import { fleet } from './fleet.ts'
import { dataSourceOf, dataSourceVariables, grafanaPanel } from './grafana-panel.ts'
import { operations } from './operations.ts'
import { type AnnotationSpec, type DashboardSpec, ofTenants, type Source } from './panel.ts'
import { quality } from './posture/data-quality.ts'
import { documents } from './posture/documents.ts'
import { findings } from './posture/findings.ts'
import { people } from './posture/people.ts'
import { secrets } from './posture/secrets.ts'
import { records, tenantNames } from './records.ts'

export const dashboards: Readonly<Record<DashboardId, (input: MonitoringInput) => DashboardSpec>> = {
  fleet,
  operations,
  posture,
}

export const sqlDashboards: Readonly<Record<SqlDashboardId, () => DashboardSpec>> = { records }

const specs = { ...dashboards, ...sqlDashboards }

const tenantQueries: Readonly<Record<Source, string>> = {
  postgres: tenantNames,
  prometheus: 'label_values(tenantwatch_check_enabled, tenant)',
}

const tag = 'tenantwatch'

export function renderDashboard(id: DashboardId | SqlDashboardId, input: MonitoringInput): Dashboard {
  const spec = specs[id](input)
  const { source = 'prometheus' } = spec
  const { name, label, type } = dataSourceVariables[source]
  const board = new DashboardBuilder(spec.title)
    .uid(dashboardUid(id))
    .description(spec.description)
    .tags(['compliance', tag])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: spec.from, to: 'now' })
    .refresh('1m')
    .timezone('utc')
    .withVariable(new DatasourceVariableBuilder(name).label(label).type(type))
    .withVariable(tenants(source))
    .withVariable(new TextBoxVariableBuilder('page').label('Status page').defaultValue('http://127.0.0.1:9469'))
    .link(
      new DashboardLinkBuilder('Status page')
        .type(DashboardLinkType.Link)
        .icon('external link')
        .tooltip('Findings by name, with their evidence')
        .url('$' + '{page}/')
        .targetBlank(true),
    )
    .link(
      new DashboardLinkBuilder('tenantwatch')
        .type(DashboardLinkType.Dashboards)
        .icon('external link')
        .tags([tag])
        .asDropdown(true)
        .includeVars(true)
        .keepTime(true),
    )
  for (const annotation of spec.annotations) board.annotation(written(annotation))
  for (const row of spec.rows) {
    board.withRow(new RowBuilder(row.title))
    for (const panel of row.panels) board.withPanel(grafanaPanel(panel, source))
  }
  return finished(board.build())
}

export function writeDashboard(id: DashboardId | SqlDashboardId, input: MonitoringInput): string {
  return `${JSON.stringify(renderDashboard(id, input), null, 2)}\n`
}

function tenants(source: Source): QueryVariableBuilder {
  const query = tenantQueries[source]
  const variable = new QueryVariableBuilder('tenant')
    .label('Tenant')
    .datasource(dataSourceOf(source))
    .query(source === 'prometheus' ? { query, refId: 'tenant' } : query)
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
  // In SQL, Grafana writes all names in quotes.
  if (source === 'prometheus') variable.allValue('.*')
  return variable.current({ text: 'All', value: '$__all' })
}

function written({ name, expr, title, color }: AnnotationSpec): AnnotationQueryBuilder {
  return new AnnotationQueryBuilder()
    .name(name)
    .datasource(dataSourceOf('prometheus'))
    .enable(true)
    .iconColor(color)
    .expr(expr)
    .titleFormat(title)
}

/** Adds panel ids, which the builder omits: without them every import assigns new ids and links to panels break. */
function finished(dashboard: Dashboard): Dashboard {
  const panels = (dashboard.panels ?? []).map((panel, index) => ({ ...panel, id: index + 1 }))
  // The builder places every link in a menu; without a placement Grafana shows it above the panels.
  const links = (dashboard.links ?? []).map(({ placement: _, ...link }) => link)
  return { ...dashboard, panels, links } as Dashboard
}

function posture(input: MonitoringInput): DashboardSpec {
  return {
    title: 'tenantwatch: posture',
    description: 'Data quality, findings and expiring secrets of each tenant.',
    from: 'now-7d',
    annotations: [
      {
        name: 'Secret rotated',
        expr: `increase(${ofTenants('tenantwatch_secret_rotations_total')}[5m]) > 0`,
        title: 'Secret rotated in {{tenant}}',
        color: 'blue',
      },
      {
        name: 'Drift',
        expr: `increase(${ofTenants('tenantwatch_findings_opened_total', 'check=~".+-unchanged"')}[5m]) > 0`,
        title: '{{check}} of {{tenant}}',
        color: 'red',
      },
    ],
    rows: [quality(input), findings(), secrets(input), people, documents],
  }
}
