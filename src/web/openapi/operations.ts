import type { z } from 'zod'
import { severities } from '../../model/severity.ts'
import { shownStates } from '../page/page-query.ts'
import { check, finding, status } from './schemas.ts'

/** A query parameter; with `values` it takes some of them, with commas between. */
export interface Parameter {
  readonly name: string
  readonly description: string
  readonly values?: readonly string[]
  readonly default?: string
}

/** The body of an answer: a schema of JSON, or only a media type. */
export type Body =
  | { readonly json: z.ZodType; readonly many?: boolean }
  | { readonly type: string; readonly description: string }

/** What the document says of one route beside what is true of all of them. */
export interface Operation {
  readonly method: 'get' | 'post'
  readonly path: string
  readonly id: string
  readonly summary: string
  readonly parameters?: readonly Parameter[]
  readonly body: Body
  /** Statuses that this route answers with beside 200 and those of every route, with their meaning. */
  readonly refusals?: Readonly<Record<number, string>>
  /** True where nobody is asked who they are. */
  readonly open?: boolean
}

const text = (description: string): Body => ({ type: 'text/plain', description })

/** Every route of the server, as it is described to others. */
export const operations: readonly Operation[] = [
  {
    method: 'get',
    path: '/',
    id: 'getStatusPage',
    summary: 'The status page',
    parameters: [
      { name: 'tenant', description: 'Only this tenant, in full' },
      { name: 'find', description: 'Of many tenants those whose name has this in it' },
      { name: 'severity', description: 'Only findings of these severities', values: severities },
      { name: 'check', description: 'Only findings of this check' },
      { name: 'state', description: `Findings in this state: ${shownStates.join(', ')}` },
      { name: 'q', description: 'Only findings with this text in sentence, entity, check, fingerprint or evidence' },
      { name: 'sort', description: 'severity, entity, check or age, with - before it the other way round' },
      { name: 'show', description: 'more: up to 400 findings' },
    ],
    body: { type: 'text/html', description: 'A page that needs no script' },
    refusals: { 400: 'An unknown parameter or value', 404: 'No tenant has this name' },
  },
  {
    method: 'get',
    path: '/page.js',
    id: 'getPageScript',
    summary: 'The script of the status page, which keeps it up to date',
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
    summary: 'Metrics, in OpenMetrics where the Accept header asks for it',
    body: text('Prometheus text or OpenMetrics'),
  },
  {
    method: 'get',
    path: '/healthz',
    id: 'getHealth',
    summary: "Whether the engine's heart beats",
    body: text('One sentence'),
    refusals: { 503: 'It does not' },
    open: true,
  },
  {
    method: 'get',
    path: '/readyz',
    id: 'getReadiness',
    summary: 'Whether the store is open and every enabled resource was tried once',
    body: text('One sentence'),
    refusals: { 503: 'Not yet' },
    open: true,
  },
  {
    method: 'get',
    path: '/api/v1/status',
    id: 'getStatus',
    summary: 'How every configured tenant stands now',
    body: { json: status },
    refusals: { 400: 'A parameter: it takes none' },
  },
  {
    method: 'get',
    path: '/api/v1/checks',
    id: 'getChecks',
    summary: 'Every check of every tenant with its present status',
    body: { json: check, many: true },
    refusals: { 400: 'A parameter: it takes none' },
  },
  {
    method: 'get',
    path: '/api/v1/findings',
    id: 'getFindings',
    summary: 'Findings in the order they were first opened, streamed; an answer that breaks off is not the whole',
    parameters: [
      { name: 'tenant', description: 'Only of this tenant' },
      { name: 'check', description: 'Only of this check' },
      { name: 'severity', description: 'Only of these severities', values: severities },
      { name: 'state', description: 'In these states', values: ['open', 'waived', 'resolved', 'all'], default: 'open' },
    ],
    body: { json: finding, many: true },
    refusals: { 400: 'An unknown parameter or value', 404: 'No tenant has this name' },
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
    summary: 'When secrets expire and waivers end, as a calendar to subscribe to',
    body: { type: 'text/calendar', description: 'iCalendar (RFC 5545)' },
  },
  {
    method: 'post',
    path: '/-/reload',
    id: 'reload',
    summary: 'Loads the configuration anew, on loopback or behind authentication only',
    body: text('What was loaded'),
    refusals: { 500: 'It cannot be used; the last good one stays' },
  },
]
