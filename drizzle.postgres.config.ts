import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/store/postgres/drizzle-kit.cjs',
  out: './drizzle/postgres',
})
