import { defineConfig } from 'vitest/config'
import { base, robustness } from './vitest.config.ts'

export default defineConfig({ test: { ...base, include: robustness } })
