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
import { type DashboardId, dashboardUid } from '../dashboard-ids.ts'
import type { MonitoringInput } from '../monitoring.ts'
import { fleet } from './fleet.ts'
import { dataSource, grafanaPanel } from './grafana-panel.ts'
import { operations } from './operations.ts'
import { type AnnotationSpec, type DashboardSpec, ofTenants } from './panel.ts'
import { quality } from './posture/data-quality.ts'
import { documents } from './posture/documents.ts'
import { findings } from './posture/findings.ts'
import { people } from './posture/people.ts'
import { secrets } from './posture/secrets.ts'

export const dashboards: Readonly<Record<DashboardId, (input: MonitoringInput) => DashboardSpec>> = {
  fleet,
  operations,
  posture,
}

const tag = 'tenantwatch'

export function renderDashboard(id: DashboardId, input: MonitoringInput): Dashboard {
  const spec = dashboards[id](input)
  const board = new DashboardBuilder(spec.title)
    .uid(dashboardUid(id))
    .description(spec.description)
    .tags(['compliance', tag])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: spec.from, to: 'now' })
    .refresh('1m')
    .timezone('utc')
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .withVariable(tenants())
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
    for (const panel of row.panels) board.withPanel(grafanaPanel(panel))
  }
  return finished(board.build())
}

export function writeDashboard(id: DashboardId, input: MonitoringInput): string {
  return `${JSON.stringify(renderDashboard(id, input), null, 2)}\n`
}

function tenants(): QueryVariableBuilder {
  const query = 'label_values(tenantwatch_check_enabled, tenant)'
  return new QueryVariableBuilder('tenant')
    .label('Tenant')
    .datasource(dataSource)
    .query({ query, refId: 'tenant' })
    .definition(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ text: 'All', value: '$__all' })
}

function written({ name, expr, title, color }: AnnotationSpec): AnnotationQueryBuilder {
  return new AnnotationQueryBuilder()
    .name(name)
    .datasource(dataSource)
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
