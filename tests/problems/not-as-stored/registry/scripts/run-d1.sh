#!/bin/sh
exec ./program
