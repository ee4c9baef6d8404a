@echo off
rem The command line of this clone, after `dotnet make.cs setup`.
if not exist "%~dp0.venv\Scripts\python.exe" (echo abathur: run "dotnet make.cs setup" first 1>&2 & exit /b 1)
"%~dp0.venv\Scripts\python.exe" -m abathur %*
