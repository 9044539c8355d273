import type * as z from 'zod'
import { severities } from '../../model/severity.ts'
import { maxLimit } from '../json-api.ts'
import { shownStates } from '../page/page-query.ts'
import { check, finding, status } from './schemas.ts'

/** A query parameter; with `values` it accepts several of them, separated by commas. */
export interface Parameter {
  readonly name: string
  readonly description: string
  readonly values?: readonly string[]
  readonly default?: string
  /** Least and greatest value of a whole number; absent for a text. */
  readonly range?: readonly [number, number]
}

export type Body =
  | { readonly json: z.ZodType; readonly many?: boolean }
  | { readonly type: string; readonly description: string }

export interface Operation {
  readonly method: 'get' | 'post'
  readonly path: string
  readonly id: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly body: Body
  /** Error statuses of this route in addition to those of all routes, with their meaning. */
  readonly refusals?: Readonly<Record<number, string>>
  readonly open?: boolean
}

const text = (description: string): Body => ({ type: 'text/plain', description })

const searched: Parameter = {
  name: 'q',
  description:
    'Only findings with this text in the message, the entity or the check, or at the beginning of the fingerprint; where names are shown, also in those',
}

const filter: readonly Parameter[] = [
  { name: 'tenant', description: 'Only findings of this tenant' },
  { name: 'check', description: 'Only findings of this check' },
  { name: 'severity', description: 'Only findings of these severities', values: severities },
  {
    name: 'state',
    description: 'Only findings in these states',
    values: ['open', 'waived', 'resolved', 'all'],
    default: 'open',
  },
  searched,
]

export const operations: readonly Operation[] = [
  {
    method: 'get',
    path: '/',
    id: 'getStatusPage',
    summary: 'The status page',
    parameters: [
      { name: 'tenant', description: 'Only this tenant, with all details' },
      { name: 'find', description: 'Only tenants whose name contains this text' },
      { name: 'severity', description: 'Only findings of these severities', values: severities },
      { name: 'check', description: 'Only findings of this check' },
      { name: 'state', description: `Findings in this state: ${shownStates.join(', ')}` },
      searched,
      { name: 'sort', description: 'severity, entity, check or age; a leading - reverses the order' },
      { name: 'show', description: 'more: up to 400 findings' },
      { name: 'after', description: 'Fingerprint of a finding; the page shows the findings after it in the list' },
    ],
    body: { type: 'text/html', description: 'A page that works without scripts' },
    refusals: {
      400: 'An unknown parameter or value, or a parameter given more than once',
      404: 'No tenant has this name',
    },
  },
  {
    method: 'get',
    path: '/runbook',
    id: 'getRunbook',
    summary: 'The runbook of an alert',
    parameters: [{ name: 'name', description: 'Name of the alert' }],
    body: { type: 'text/html', description: 'Meaning, impact, diagnosis and mitigation' },
    refusals: {
      400: 'An unknown parameter, or one given more than once',
      404: 'No runbook of this name is installed',
    },
  },
  {
    method: 'get',
    path: '/page.js',
    id: 'getPageScript',
    summary: 'The script that refreshes the status page',
    body: { type: 'text/javascript', description: 'A module' },
  },
  {
    method: 'get',
    path: '/style.css',
    id: 'getStylesheet',
    summary: 'The stylesheet of the status page',
    body: { type: 'text/css', description: 'CSS' },
  },
  {
    method: 'get',
    path: '/favicon.svg',
    id: 'getIcon',
    summary: 'The icon of the status page',
    body: { type: 'image/svg+xml', description: 'An SVG image' },
  },
  {
    method: 'get',
    path: '/metrics',
    id: 'getMetrics',
    summary: 'Metrics; the Accept header selects OpenMetrics',
    body: text('Prometheus text or OpenMetrics'),
  },
  {
    method: 'get',
    path: '/healthz',
    id: 'getHealth',
    summary: "Whether the engine's heartbeat is recent",
    body: text('One sentence'),
    refusals: { 503: 'It is not' },
    open: true,
  },
  {
    method: 'get',
    path: '/readyz',
    id: 'getReadiness',
    summary: 'Whether the database is open, verified by this replica, and every enabled resource was tried once',
    body: text('One sentence'),
    refusals: { 503: 'Not yet' },
    open: true,
  },
  {
    method: 'get',
    path: '/api/v1/status',
    id: 'getStatus',
    summary: 'The current status of every configured tenant',
    body: { json: status },
    refusals: { 400: 'A parameter was given; the route takes none' },
  },
  {
    method: 'get',
    path: '/api/v1/checks',
    id: 'getChecks',
    summary: 'Every check of every tenant with its current status',
    body: { json: check, many: true },
    refusals: { 400: 'A parameter was given; the route takes none' },
  },
  {
    method: 'get',
    path: '/api/v1/findings',
    id: 'getFindings',
    summary:
      'Findings in the order they were first opened, streamed (an aborted answer is incomplete), or with limit a part',
    parameters: [
      ...filter,
      {
        name: 'limit',
        range: [1, maxLimit],
        description: 'At most this many findings, 1 to 1000; a Link header with rel="next" names the next part',
      },
      { name: 'cursor', description: 'Fingerprint after which the part begins, as in the Link header' },
    ],
    body: { json: finding, many: true },
    refusals: {
      400: 'An unknown parameter, value or cursor, or a parameter given more than once',
      404: 'No tenant has this name',
    },
  },
  {
    method: 'get',
    path: '/api/v1/findings.csv',
    id: 'getFindingsAsCsv',
    summary:
      'The same findings as CSV, with the columns of tenantwatch findings --format csv, with --details where they are shown',
    parameters: filter,
    body: { type: 'text/csv', description: 'RFC 4180; cells that would start a formula are escaped' },
    refusals: {
      400: 'An unknown parameter or value, or a parameter given more than once',
      404: 'No tenant has this name',
    },
  },
  {
    method: 'get',
    path: '/api/v1/openapi.json',
    id: 'getOpenApi',
    summary: 'This document',
    body: { type: 'application/json', description: 'OpenAPI 3.1' },
  },
  {
    method: 'get',
    path: '/calendar.ics',
    id: 'getCalendar',
    summary: 'Secret expiries and waiver ends, as a calendar to subscribe to',
    body: { type: 'text/calendar', description: 'iCalendar (RFC 5545)' },
  },
  {
    method: 'post',
    path: '/-/reload',
    id: 'reload',
    summary: 'Reloads the configuration; only while server.listen is a loopback address, or behind authentication',
    body: text('The result in one sentence'),
    refusals: { 500: 'The configuration is invalid; the last valid one stays in force' },
  },
]
