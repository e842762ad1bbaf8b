-- The types of files, the server, the commands. What can be set is in README.md.

if vim.g.loaded_tilewright then
  return
end
vim.g.loaded_tilewright = true

local STAGES = { "tileaa", "tileas", "scheduled", "cute", "cute_desugared", "llvm", "nvvm" }

vim.filetype.add({
  extension = { cuda_tile = "cuda_tile", ptx = "ptx" },
  pattern = {
    [".*%.tile%.mlir"] = "cuda_tile",
    -- Files of other dialects of MLIR have the same extension.
    [".*%.mlir"] = function(_, buffer)
      local first = buffer and vim.api.nvim_buf_get_lines(buffer, 0, 1, false)[1] or ""
      return first:find("^cuda_tile%.") and "cuda_tile" or nil
    end,
  },
})
for _, stage in ipairs(STAGES) do
  vim.filetype.add({ extension = { [stage] = "tilewright" } })
end

local group = vim.api.nvim_create_augroup("tilewright", {})
local filetypes = { "cuda_tile", "tilewright", "ptx" }
if (vim.g.tilewright or {}).python then
  table.insert(filetypes, "python")
end
vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = filetypes,
  callback = function(event)
    require("tilewright").start(event.buf)
  end,
})
vim.api.nvim_create_autocmd("BufReadCmd", {
  group = group,
  pattern = "*.tileirbc",
  callback = function(event)
    require("tilewright").disassemble(event.buf, event.match)
  end,
})

-- What a lens runs.
vim.lsp.commands["tilewright.showStage"] = function(command)
  local uri, stage, position = unpack(command.arguments)
  require("tilewright.stages").show(vim.uri_to_bufnr(uri), stage, position)
end

vim.api.nvim_create_user_command("TilewrightStage", function(asked)
  require("tilewright.stages").show(vim.api.nvim_get_current_buf(), asked.args)
end, {
  nargs = 1,
  complete = function(start)
    return vim.tbl_filter(function(stage)
      return vim.startswith(stage, start)
    end, vim.list_extend({ "ptx", "attributes" }, STAGES))
  end,
  desc = "Show a stage of the kernel under the cursor beside its source",
})
vim.api.nvim_create_user_command("TilewrightPtx", function()
  require("tilewright.stages").show(vim.api.nvim_get_current_buf(), "ptx")
end, { desc = "Show the PTX of the kernel under the cursor beside its source" })
vim.api.nvim_create_user_command("TilewrightExplain", function(asked)
  require("tilewright").explain(asked.args)
end, { nargs = "?", desc = "Explain a code, or that of the problem under the cursor" })
